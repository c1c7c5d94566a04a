"""Cumulus Linux: changes are patches that NVUE applies with commit-confirm, as a whole or not at all."""

from rackproof.deploy.switch.nos.cumulus.change_session import NvueChangeSession as Session
from rackproof.deploy.switch.nos.cumulus.changes import configuration_text, next_stage, shown, without
from rackproof.deploy.switch.nos.cumulus.commit_confirm import LOCK, UNFINISHED
from rackproof.deploy.switch.nos.cumulus.disruption import disruption
from rackproof.deploy.switch.nos.cumulus.read import (
    OPERATIONAL_STATE,
    RUNNING,
    checked_running,
    parse_operational_state,
    parse_unfinished,
)
from rackproof.deploy.switch.nos.cumulus.settings import settings

__all__ = [
    "LOCK",
    "OPERATIONAL_STATE",
    "RUNNING",
    "UNFINISHED",
    "Session",
    "checked_running",
    "configuration_text",
    "disruption",
    "next_stage",
    "parse_operational_state",
    "parse_unfinished",
    "settings",
    "shown",
    "without",
]
