"""What suites expect, taken from the plan: subjects, ports, sessions, paths, traffic.

Nothing here asks a device or decides a verdict. Suites import `fixtures.py`.
"""
