"""Verbs of the lab: up, down, status, faults, traffic.

The work is done in `lab`; here it is asked for and printed.
"""
