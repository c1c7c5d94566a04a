"""Buffers: two pools, a profile for each speed and cable length in use, headroom from the switch's own table."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rackproof.errors import BadInputError
from rackproof.render.nos.sonic.database import ConfigDb, Fields, key
from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.models import Buffers, SwitchModel
    from rackproof.plan.model.plan import PortIntent, SwitchIntent

INGRESS_POOL = "ingress_lossless_pool"
EGRESS_POOL = "egress_lossless_pool"
CABLE_LENGTHS = "AZURE"
"""The one key of CABLE_LENGTH that SONiC's buffer manager reads."""

QUEUES = range(8)
LOSSY_PRIORITY_GROUP = "0"


def write_buffers(model: SwitchModel, intent: SwitchIntent, names: Mapping[str, str]) -> ConfigDb:
    """Return the tables of buffers for a switch that carries lossless traffic; ``names`` is port key to name.

    Raises
    ------
    BadInputError
        The switch has no buffers for lossless traffic, or no headroom for a speed and cable length in use.
    """
    if intent.roce is None:
        return {}
    if model.buffers is None:
        raise BadInputError(f"{model.model} has no buffers for lossless traffic")
    ports = {names[port_key]: port for port_key, port in intent.ports.items() if port.lossless}
    priorities = compress(intent.roce.lossless)
    lossy = compress(set(QUEUES) - set(intent.roce.lossless))
    profiles = {name: profile_name(port) for name, port in ports.items()}
    return {
        "BUFFER_POOL": _pools(model.buffers),
        "BUFFER_PROFILE": _profiles(model.buffers, {profile_name(port): port for port in ports.values()}),
        "BUFFER_PG": dict(chain.from_iterable(_priority_groups(name, profiles[name], priorities) for name in ports)),
        "BUFFER_QUEUE": dict(chain.from_iterable(_queues(name, priorities, lossy) for name in ports)),
        "CABLE_LENGTH": {CABLE_LENGTHS: {name: f"{port.cable_length_m}m" for name, port in sorted(ports.items())}},
    }


def _priority_groups(name: str, profile: str, lossless: str) -> Iterator[tuple[str, Fields]]:
    """Yield the priority groups of a port, the lossy one first, each with its buffer profile."""
    yield key(name, LOSSY_PRIORITY_GROUP), {"profile": "ingress_lossy_profile"}
    for group in lossless.split(","):
        yield key(name, group), {"profile": profile}


def _queues(name: str, lossless: str, lossy: str) -> Iterator[tuple[str, Fields]]:
    """Yield the queues of a port, the lossless ones first, each with its buffer profile."""
    for queues in lossless.split(","):
        yield key(name, queues), {"profile": "egress_lossless_profile"}
    for queues in lossy.split(","):
        yield key(name, queues), {"profile": "egress_lossy_profile"}


def profile_name(port: PortIntent) -> str:
    """Return the name SONiC's buffer manager gives the headroom of a port: pg_lossless_<Mb/s>_<length>_profile."""
    return f"pg_lossless_{port.speed_gbps * 1000}_{port.cable_length_m}m_profile"


def _pools(buffers: Buffers) -> dict[str, Fields]:
    """Return the pools; what is kept for headroom is part of the ingress pool."""
    return {
        INGRESS_POOL: {
            "type": "ingress",
            "mode": "dynamic",
            "size": str(buffers.ingress_pool_bytes),
            "xoff": str(buffers.shared_headroom_bytes),
        },
        EGRESS_POOL: {"type": "egress", "mode": "static", "size": str(buffers.egress_pool_bytes)},
    }


def _profiles(buffers: Buffers, headrooms: Mapping[str, PortIntent]) -> dict[str, Fields]:
    """Return the profiles: lossy traffic may take what is free, lossless egress all there is."""
    return {
        "ingress_lossy_profile": {"pool": INGRESS_POOL, "size": "0", "static_th": str(buffers.ingress_pool_bytes)},
        "egress_lossy_profile": {"pool": EGRESS_POOL, "size": "0", "dynamic_th": "3"},
        "egress_lossless_profile": {"pool": EGRESS_POOL, "size": "0", "static_th": str(buffers.egress_pool_bytes)},
        **{name: _headroom(buffers, port) for name, port in headrooms.items()},
    }


def _headroom(buffers: Buffers, port: PortIntent) -> Fields:
    """Return the profile of one speed and cable length.

    Raises
    ------
    BadInputError
        The switch's headroom table has no such row.
    """
    for row in buffers.headroom:
        if (row.speed_gbps, row.cable_length_m) == (port.speed_gbps, port.cable_length_m):
            return {
                "pool": INGRESS_POOL,
                "size": str(buffers.profile_size_bytes),
                "xon": str(buffers.xon_bytes),
                "xon_offset": str(buffers.xon_offset_bytes),
                "xoff": str(row.xoff_bytes),
                "dynamic_th": str(buffers.threshold),
            }
    known = sorted({row.cable_length_m for row in buffers.headroom})
    raise BadInputError(
        f"no headroom is known for {port.speed_gbps}G over {port.cable_length_m} m",
        f"this switch's table has lengths of {', '.join(map(str, known))} m",
    )


def read_cable_lengths(database: ConfigDb) -> dict[str, int]:
    """Return port name to cable length in metres."""
    lengths = database.get("CABLE_LENGTH", {}).get(CABLE_LENGTHS, {})
    return {name: int(length.removesuffix("m")) for name, length in lengths.items() if length[:-1].isdecimal()}
