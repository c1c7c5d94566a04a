"""Comparison of a switch with its intent: managed configuration, diff, changes in words, and their impact.

Nothing here connects to a switch or changes one. Start with `diff.py`; `changes.py` turns a diff into changes.
"""
