"""The process that a lab runs in, and how the command line talks to it.

What runs in that process is in `lab/switches`, `lab/hosts` and `lab/fabric`. Start with `client.py` for the command
line's side and with `daemon.py` for the other.
"""
