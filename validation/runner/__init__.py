"""How pytest runs the suites: options, gathering, collection, scheduling, results.

`validation/conftest.py` calls these modules hook by hook, in the order of a run.
"""
