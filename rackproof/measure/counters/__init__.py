"""Counters and health before and after a run: NICs, switch ports, optics, InfiniBand subnets and hosts.

Traffic itself is in `traffic`. Start with `port_counters.py`.
"""
