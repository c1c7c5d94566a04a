"""Cumulus Linux 5.12 to 5.15, as its public sources show it: NVUE with its revisions, FRR and iproute2."""

from collections.abc import Mapping

from lab.switches.machine import Machine
from lab.switches.nos.cumulus import iproute, nv, vtysh
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.protocol import Nos
from lab.switches.shell.call import Program

USER = "cumulus"
"""The account that a switch is delivered with."""


def create(machine: Machine) -> tuple[Nos, Mapping[str, Program]]:
    """Return the NOS of a switch, and its programs: ``nv``, ``vtysh`` and iproute2."""
    system = Cumulus(machine)
    return system, {**nv.programs(system), **iproute.programs(system), **vtysh.programs(system)}
