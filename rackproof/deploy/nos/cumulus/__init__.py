"""Cumulus Linux: changes are patches that NVUE applies on trial, as a whole or not at all."""

from rackproof.deploy.nos.cumulus.changes import next_stage, shown, text_of, without
from rackproof.deploy.nos.cumulus.disruption import disruption
from rackproof.deploy.nos.cumulus.in_hand import NvueInHand as InHand
from rackproof.deploy.nos.cumulus.reading import RUNNING, SURROUNDINGS, checked_running, surroundings_of

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
