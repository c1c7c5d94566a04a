"""RoCE as a site asks for it, filled up with what the vendor of the NOS recommends."""

from typing import Final

from rackproof.hardware.nos_models import EcnSettings, LosslessSettings, RoceSettings, WatchdogSettings
from rackproof.site.models import LosslessClass, Roce, SiteObject

UNKNOWN_NOS: Final = RoceSettings(
    lossless=(LosslessSettings(priority=3, dscp=(24, 26)),),
    host_dscp=26,
    cnp_dscp=48,
    cnp_priority=6,
    ecn=EcnSettings(kmin_bytes=1048576, kmax_bytes=2097152, probability_percent=5),
    pfc_watchdog=WatchdogSettings(action="drop", detect_ms=200, restore_ms=400, poll_ms=100),
    bandwidth_percent=50,
    load_balancing="ecmp",
)
"""Stands in for the recommendation of a NOS that is unknown or has no RoCE; a rule of its own reports that."""

PARTS: Final = frozenset({"lossless", "ecn", "pfc_watchdog"})
"""Fields that are made of others."""


def stated(asked: SiteObject) -> dict[str, object]:
    """Return the fields of a part of the site file that have a value."""
    rows = {name: getattr(asked, name) for name in type(asked).model_fields}
    return {name: value for name, value in rows.items() if value is not None and name not in {"assumed", "enabled"}}


def roce_settings(asked: Roce, recommended: RoceSettings) -> RoceSettings:
    """Return what a site asks for; what it leaves out is as recommended."""
    usual = recommended.lossless[0]
    own = {name: value for name, value in stated(asked).items() if name not in PARTS}
    if asked.lossless is not None:
        own["lossless"] = tuple(_lossless(row, usual) for row in asked.lossless)
    own["ecn"] = recommended.ecn.model_copy(update=stated(asked.ecn))
    own["pfc_watchdog"] = recommended.pfc_watchdog.model_copy(update=stated(asked.pfc_watchdog))
    return recommended.model_copy(update=own)


def _lossless(asked: LosslessClass, usual: LosslessSettings) -> LosslessSettings:
    """Return a lossless class; what it leaves out is that of the recommended one."""
    return usual.model_copy(update=stated(asked))
