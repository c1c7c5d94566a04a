"""The RoCE intent of a fabric, and what a NOS can express of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from rackproof.hardware.models import NosModel, NosRoceLimits, SwitchModel
from rackproof.hardware.nos_models import RoceSettings
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import LosslessIntent, PfcWatchdogIntent, RoceIntent


@dataclass(frozen=True, slots=True)
class Loss:
    """Something a NOS cannot express as asked."""

    field: str
    wanted: str
    got: str

    def __str__(self) -> str:
        return f"{self.field}: {self.wanted} becomes {self.got}"


@dataclass(frozen=True, slots=True)
class NosRoce:
    """RoCE of a fabric as its NOS can express it."""

    intent: RoceIntent
    losses: tuple[Loss, ...]
    """Every difference to what the site asks for."""
    host_dscp: int
    """What hosts mark RoCE data with."""


def nos_roce(drafts: Iterable[FabricDraft]) -> dict[str, NosRoce]:
    """Return fabric to its RoCE, of every fabric that asks for it."""
    return {draft.name: _nos_roce(draft, draft.roce) for draft in drafts if draft.roce is not None}


def _nos_roce(draft: FabricDraft, roce: RoceSettings) -> NosRoce:
    intent, losses = normalise(asked_intent(roce, draft.model), draft.nos)
    return NosRoce(intent, losses, roce.host_dscp)


def asked_intent(roce: RoceSettings, model: SwitchModel) -> RoceIntent:
    """Return the vendor-neutral intent of what a site asks for."""
    share = roce.bandwidth_percent // len(roce.lossless)
    ecn = roce.ecn
    return RoceIntent(
        lossless={
            lossless.priority: LosslessIntent(
                tuple(sorted(lossless.dscp)), ecn.kmin_bytes, ecn.kmax_bytes, ecn.probability_percent, share
            )
            for lossless in roce.lossless
        },
        cnp_dscp=roce.cnp_dscp,
        cnp_priority=roce.cnp_priority,
        default_bandwidth_percent=100 - share * len(roce.lossless),
        pfc_watchdog=PfcWatchdogIntent(
            roce.pfc_watchdog.action,
            roce.pfc_watchdog.detect_ms,
            roce.pfc_watchdog.restore_ms,
            roce.pfc_watchdog.poll_ms,
        ),
        hash_queue_pair=roce.load_balancing == "ecmp-queue-pair" and model.hash_queue_pair,
        lossless_buffer_percent=roce.lossless_buffer_percent,
    )


def _clamp(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)


def _threshold(value_bytes: int, limits: NosRoceLimits) -> int:
    """Return the nearest threshold at or below ``value_bytes`` that the NOS can express."""
    inside = _clamp(value_bytes, limits.ecn_min_bytes, limits.ecn_max_bytes)
    return inside - inside % limits.ecn_step_bytes


def _watchdog(intent: PfcWatchdogIntent, limits: NosRoceLimits) -> PfcWatchdogIntent:
    poll_ms = _clamp(intent.poll_ms, *limits.watchdog_poll_ms)
    detect_ms = _clamp(intent.detect_ms, *limits.watchdog_detect_ms)
    if limits.watchdog_detect_polls is not None:
        detect_ms = poll_ms * _clamp(-(-detect_ms // poll_ms), *limits.watchdog_detect_polls)
    if limits.watchdog_restores_itself:
        return PfcWatchdogIntent("drop", detect_ms, detect_ms, poll_ms)
    return PfcWatchdogIntent(intent.action, detect_ms, _clamp(intent.restore_ms, *limits.watchdog_restore_ms), poll_ms)


def _lossless(intent: LosslessIntent, limits: NosRoceLimits) -> LosslessIntent:
    return LosslessIntent(
        intent.dscp,
        _threshold(intent.ecn_kmin_bytes, limits),
        _threshold(intent.ecn_kmax_bytes, limits),
        intent.ecn_probability_percent,
        intent.bandwidth_percent,
    )


def normalise(intent: RoceIntent, nos: NosModel) -> tuple[RoceIntent, tuple[Loss, ...]]:
    """Return what of ``intent`` a NOS can express, and every difference to what was asked.

    Parsing a rendered configuration back gives the first value again: that is tested for every NOS.
    """
    limits = nos.roce
    if limits is None:
        return intent, ()
    done = replace(
        intent,
        lossless={priority: _lossless(lossless, limits) for priority, lossless in intent.lossless.items()},
        pfc_watchdog=_watchdog(intent.pfc_watchdog, limits),
    )
    return done, tuple(_losses(intent, done))


def _losses(asked: RoceIntent, got: RoceIntent) -> Iterator[Loss]:
    for name in ("action", "detect_ms", "restore_ms", "poll_ms"):
        before, after = getattr(asked.pfc_watchdog, name), getattr(got.pfc_watchdog, name)
        if before != after:
            yield Loss(f"pfc_watchdog.{name}", f"{before}", f"{after}")
    for priority, lossless in asked.lossless.items():
        for name in ("ecn_kmin_bytes", "ecn_kmax_bytes"):
            before, after = getattr(lossless, name), getattr(got.lossless[priority], name)
            if before != after:
                yield Loss(f"lossless {priority} {name}", f"{before}", f"{after}")


def length_class_m(length_m: float, nos: NosModel) -> int:
    """Return the cable length that a NOS is configured with for ``length_m``: the next longer one it takes."""
    return _next_length_m(length_m, nos.roce.cable_lengths_m if nos.roce else ())


@cache
def _next_length_m(length_m: float, allowed: tuple[int, ...]) -> int:
    if not allowed:
        return int(-(-length_m // 1))
    return next((length for length in sorted(allowed) if length >= length_m), max(allowed))
