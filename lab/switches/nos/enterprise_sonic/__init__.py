"""Dell Enterprise SONiC 4.5, as its public sources show it: command line, running configuration, read-outs."""

from lab.switches.nos.enterprise_sonic.system import EnterpriseSonic as Nos

__all__ = ["USER", "Nos"]

USER = "admin"
"""The account that a switch is delivered with."""
