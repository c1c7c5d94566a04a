"""How a finding becomes a result: judge, evidence, baseline, and the folder of a run.

Knows no pytest beyond what a suite hands in. Start with `judge.py`.
"""
