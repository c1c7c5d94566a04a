"""Validation: the suites that gate handover, ordinary pytest over facts and live runs.

A suite is a module ``test_<category>.py``; each function in it is a check, and `validation.fixtures` is all it needs.
Run them with ``rackproof validate <site>``, or with ``pytest validation --site <site>``.
"""
