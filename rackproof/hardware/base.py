"""What every catalogue file has in common, and what devices in a rack share."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rackproof.types import ModelName, Watts

Cage = Literal[
    "osfp-finned", "osfp-flat-top", "qsfp112", "qsfp-dd", "qsfp56", "qsfp28", "sfp28", "sfp-plus", "rj45", "virtual"
]
"""What a port accepts: the mechanical form of its cage; ``virtual`` is the port of a hosted machine."""

LinkLayer = Literal["ethernet", "infiniband"]
"""What runs over a link."""


class CatalogueModel(BaseModel):
    """A part of a catalogue file: closed, frozen, documented by the strings under its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Entry(CatalogueModel):
    """What every catalogue file states."""

    model: ModelName
    """File name without suffix."""
    name: str
    """What the maker calls it."""
    vendor: str
    part_number: str | None = None
    sources: dict[str, str]
    """Dotted path of a field (or of a group of fields) to where its figures were read."""
    assumed: dict[str, str] = {}
    """Dotted path of a field to why its value was assumed: no public source was found."""


class Body(CatalogueModel):
    """Room, weight and electricity a device takes in a rack."""

    rack_units: Annotated[int, Field(ge=0)]
    """Height in rack units of 44.45 mm; 0 for a device that takes none."""
    depth_mm: int
    weight_kg: float
    power_max_w: Watts
    """Largest input power of the device as configured here."""


class PowerSupplies(CatalogueModel):
    """The power supplies of a device."""

    count: Annotated[int, Field(ge=0)]
    power_w: Watts
    """Rated output of one supply."""
    needed: Annotated[int, Field(ge=0)]
    """How many carry the device at its largest load (3 of 6: fully redundant over two feeds)."""
    needed_throttled: Annotated[int, Field(ge=0)]
    """How many keep it running when it may lower its clocks."""
    inlet: Literal["c14", "c20", "c22"]
