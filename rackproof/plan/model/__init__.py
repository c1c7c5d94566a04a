"""The values of a plan, which every other part reads: frozen, with no logic beyond simple look-ups.

What computes these values is in the folders beside this one. Start with `plan.py`; `switch.py` and `host.py` hold the
intent of one device.
"""
