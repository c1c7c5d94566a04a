"""Verbs of acceptance: validate, report, verify, keygen.

The work is done in `validation` and `rackproof/report`; here it is asked for and printed.
"""
