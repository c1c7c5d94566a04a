"""Links between ports, the cables that carry them, and power cords."""

from typing import Literal

from msgspec import Struct

LinkKind = Literal["rail", "host", "inter-switch", "uplink", "management"]


class LinkEnd(Struct, frozen=True, gc=False):
    """One end of a link."""

    device: str
    port: str
    """A switch's port as its NOS names it; a server's as the plan names it (rail3, frontend0, bmc)."""

    def __str__(self) -> str:
        return f"{self.device}/{self.port}"


class Link(Struct, frozen=True, gc=False):
    """A lane group of an assembly between two ports; ``a`` is the switch (the upper one of two)."""

    fabric: str
    kind: LinkKind
    a: LinkEnd
    b: LinkEnd
    speed_gbps: int
    assembly: str
    leg: int
    """From 1."""


class Assembly(Struct, frozen=True, gc=False):
    """A cable with one trunk and one or more legs: one line of the bill of materials."""

    id: str
    cable: str
    """Catalogue model."""
    length_m: float
    needed_m: float
    """What the longest leg needs between its rack positions."""
    trunk: LinkEnd
    """The physical cage: port "Eth1/3" even when it is split."""
    legs: tuple[LinkEnd, ...]
    """Ends in order; an unused leg is left out."""
    trunk_transceiver: str | None = None
    """Optic in the trunk's cage; fibres that share an optic name it once, on the first of them."""
    leg_transceiver: str | None = None
    """Optic at each leg, named likewise."""


class CordPlan(Struct, frozen=True, gc=False):
    """A power cord from a supply to an outlet."""

    device: str
    supply: int
    """From 1."""
    pdu: str
    outlet: int
    """From 1, in the order of the catalogue's outlet groups."""
    outlet_type: str
    phase: str
    breaker: str
    cord: str
    length_m: float


__all__ = ["Assembly", "CordPlan", "Link", "LinkEnd", "LinkKind"]
