"""Dell Enterprise SONiC 4.5, as its public sources show it: command line, running configuration, show output."""

from collections.abc import Mapping

from lab.switches.machine import Machine
from lab.switches.nos.enterprise_sonic.programs import programs
from lab.switches.nos.enterprise_sonic.system import EnterpriseSonic
from lab.switches.nos.protocol import Nos
from lab.switches.shell.call import Program

USER = "admin"
"""The account that a switch is delivered with."""


def create(machine: Machine) -> tuple[Nos, Mapping[str, Program]]:
    """Return the NOS of a switch, and its programs: ``sonic-cli`` and SONiC's ``config``."""
    system = EnterpriseSonic(machine)
    return system, programs(system)
