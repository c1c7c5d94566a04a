"""Validation: the suites that gate handover, ordinary pytest over facts and live runs.

A suite is a module ``suites/test_<category>.py``; each function in it is a check, and imports only
`validation.expected.fixtures`.
Run them with ``rackproof validate <site>``, or with ``pytest validation --site <site>``.
"""
