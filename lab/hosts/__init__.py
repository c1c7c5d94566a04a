"""Hosts of the lab: virtual machines with a real kernel, whose ports are plugged into the fabric.

Start with `from_plan.py` for what they are made of, and with `virtual_machine.py` for how one runs.
"""
