"""What joins devices: cable assemblies, pluggable optics and power cords."""

from typing import Literal

from pydantic import Field

from rackproof.hardware.base import CatalogueModel, Entry, LinkLayer
from rackproof.types import Fec, LengthM, SpeedGbps, Watts


class CableEnd(CatalogueModel):
    """One plug of a cable."""

    module: str
    """Plug form: osfp-finned, osfp-flat-top, qsfp112, qsfp-dd, qsfp56, qsfp28, sfp28, sfp-plus, rj45, mpo12-apc, ..."""
    lanes: int
    lane_gbps: float
    polish: Literal["apc", "upc"] | None = None


class CableModel(Entry):
    """A cable assembly with one trunk end and one or more legs."""

    media: Literal["dac", "acc", "aec", "aoc", "mmf", "smf", "copper"]
    trunk: CableEnd
    leg: CableEnd
    legs: Literal[1, 2, 4, 8]
    speed_gbps: SpeedGbps
    """Speed of one leg."""
    lengths_m: tuple[LengthM, ...]
    """Lengths that can be ordered, shortest first."""
    part_numbers: dict[str, str] = Field(default_factory=dict)
    """Length in metres (as text) to part number."""
    fec: Fec
    polarity: str | None = None
    power_w: Watts = 0
    """Per end."""
    links_per_leg: tuple[Literal[1, 2, 4], ...] = (1,)
    """Into how many links a leg may be divided when the ports at both ends are split alike: 2 is 2x400G in 800G."""
    link_layers: tuple[LinkLayer, ...] = ("ethernet",)


class TransceiverModel(Entry):
    """A pluggable optic."""

    module: str
    speed_gbps: SpeedGbps
    lanes: int
    lane_gbps: float
    connector: str
    """What the fibre plugs into, such as mpo12-apc."""
    connectors: int = 1
    """Fibre connectors; each carries ``lanes / connectors`` lanes, and all take the same kind of fibre cable."""
    connector_lanes: tuple[int, ...] = ()
    """Lanes a connector may run on, all of them first (4, or 2 with a 1:2 splitter fibre); empty: all of them."""
    host_lanes: int | None = None
    """Electrical lanes towards the device, where they differ from ``lanes`` (a gearbox inside)."""
    link_layers: tuple[LinkLayer, ...] = ("ethernet",)
    media: Literal["mmf", "smf"]
    reach_m: LengthM
    fec: Fec
    power_w: Watts


class CordModel(Entry):
    """A power cord."""

    plug: Literal["c14", "c20"]
    """Goes into the PDU's outlet."""
    socket: Literal["c13", "c19", "c15", "c21"]
    """Goes into the device's inlet."""
    current_a: float
    lengths_m: tuple[LengthM, ...]
