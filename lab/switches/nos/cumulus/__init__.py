"""Cumulus Linux 5.12 to 5.15, as its public sources show it: NVUE with its revisions, and what it does to ports."""

from lab.switches.nos.cumulus.system import Cumulus as Nos

__all__ = ["USER", "Nos"]

USER = "cumulus"
"""The account that a switch is delivered with."""
