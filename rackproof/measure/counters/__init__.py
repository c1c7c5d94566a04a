"""Counters and health of NICs, switch ports, optics, InfiniBand subnets and hosts, before and after a run.

Traffic itself is in `traffic`. Start with `port_counters.py`.
"""
