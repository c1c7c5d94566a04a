"""Cumulus Linux: changes are patches that NVUE applies on trial, as a whole or not at all."""

from rackproof.deploy.switch.nos.cumulus.change_session import NvueInHand as InHand
from rackproof.deploy.switch.nos.cumulus.changes import next_stage, shown, text_of, without
from rackproof.deploy.switch.nos.cumulus.disruption import disruption
from rackproof.deploy.switch.nos.cumulus.read import RUNNING, SURROUNDINGS, checked_running, surroundings_of

__all__ = [
    "RUNNING",
    "SURROUNDINGS",
    "InHand",
    "checked_running",
    "disruption",
    "next_stage",
    "shown",
    "surroundings_of",
    "text_of",
    "without",
]
