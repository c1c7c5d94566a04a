"""Cables: every link a lane group of an assembly, every assembly long enough and one line of the bill of materials."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from rackproof.errors import Problems, ValuePath
from rackproof.plan.allocation import Attachment
from rackproof.plan.fabrics import FabricDraft
from rackproof.plan.fit import Fit, Joint
from rackproof.plan.models import Assembly, Link, LinkEnd, LinkKind, Position
from rackproof.plan.placement import Placement
from rackproof.plan.ports import key_order, port_of
from rackproof.plan.runs import run_m
from rackproof.types import split_breakout

Positions = Mapping[str, Position]


@dataclass(slots=True)
class Cabling:
    """Everything that is plugged in."""

    links: list[Link] = field(default_factory=list)
    assemblies: list[Assembly] = field(default_factory=list)
    lengths_m: dict[tuple[str, str], float] = field(default_factory=dict)
    """(switch, port key) to the length of the cable in it."""
    joints: dict[tuple[str, str], Joint] = field(default_factory=dict)
    """(switch, port key) to what joins it."""


class _Leg(Struct, frozen=True, gc=False):
    """A leg in use, or one of the lane groups of a cable between two switches."""

    key: str
    """Port key at the trunk end."""
    end: LinkEnd
    kind: LinkKind
    speed_gbps: int
    far_key: str | None = None
    """Port key at the far end, where that is a switch."""


class _Run(Struct, frozen=True, gc=False):
    """An assembly before its cable is chosen."""

    name: str
    """Number of the assembly: fabric, switch and front panel port, so that growth renames none."""
    switch: int
    trunk: LinkEnd
    fit: Fit
    needed_m: float
    ends: tuple[_Leg, ...]
    path: ValuePath


def _choose(run: _Run) -> tuple[Joint, float] | None:
    """Return the first joint whose lengths reach, and the shortest such length."""
    for joint in run.fit.joints:
        reaching = [length for length in joint.cable.lengths_m if length >= run.needed_m]
        if reaching and reaching[0] <= joint.reach_m:
            return joint, reaching[0]
    return None


def _longest_m(fit: Fit) -> float:
    return max(joint.reach_m for joint in fit.joints)


def _assembly_name(draft: FabricDraft, number: int, port: int) -> str:
    return f"{draft.owner or draft.name}-{number * draft.model.ports[-1].last + port:04d}"


def _host_runs(draft: FabricDraft, number: int, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each front panel port of a switch that hosts or devices are plugged into.

    It reaches the places that are kept for growth too, so that growth changes no cable.
    """
    switch = draft.switch_name(number)
    by_port: dict[int, list[Attachment]] = defaultdict(list)
    for attachment in draft.layout.attachments_of[number]:
        if attachment.socket.kind != "uplink":
            by_port[port_of(attachment.key)].append(attachment)
    here = placement.positions.get(switch)
    for port, attachments in sorted(by_port.items()):
        there = [placement.positions.get(a.socket.device) for a in attachments]
        if here is None or None in there or not any(a.socket.planned for a in attachments):
            continue
        needed = max(run_m(here, position, placement) for position in there if position)
        legs = tuple(
            _Leg(a.key, LinkEnd(a.socket.device, a.socket.port), a.socket.kind, a.socket.speed_gbps)
            for a in sorted(attachments, key=lambda a: key_order(a.key))
            if a.socket.planned
        )
        cage = LinkEnd(switch, draft.port_name(number, str(port)))
        name, first = _assembly_name(draft, number, port), attachments[0]
        yield _Run(name, number, cage, first.fit, needed, legs, first.socket.path)


def _trunk_runs(draft: FabricDraft, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each cable between two switches of a fabric that are both there."""
    seats, fit = draft.layout.seats, draft.layout.trunk_fit
    for trunk in draft.layout.trunks if fit else ():
        a, b = draft.switch_name(trunk.a), draft.switch_name(trunk.b)
        here, there = placement.positions.get(a), placement.positions.get(b)
        if here is None or there is None or fit is None or not (seats[trunk.a].planned and seats[trunk.b].planned):
            continue
        speed = split_breakout(trunk.mode)[1] if trunk.mode else fit.ports.speed_gbps
        legs = tuple(
            _Leg(
                a_key,
                LinkEnd(b, draft.port_name(trunk.b, b_key)),
                "inter-switch",
                speed,
                b_key,
            )
            for a_key, b_key in trunk.links()
        )
        cage = LinkEnd(a, draft.port_name(trunk.a, str(trunk.a_port)))
        name = _assembly_name(draft, trunk.a, trunk.a_port)
        yield _Run(name, trunk.a, cage, fit, run_m(here, there, placement), legs, (*draft.path, "switch"))


def _plug_in(draft: FabricDraft, run: _Run, done: Cabling, problems: Problems) -> None:
    """Choose the cable of one run and record its assemblies and links."""
    chosen = _choose(run)
    if chosen is None:
        problems.add(
            run.path,
            f"the cable from {run.trunk} to {run.ends[-1].end} needs {run.needed_m:.1f} m; "
            f"the longest that fits reaches {_longest_m(run.fit):g} m",
            "put the switch nearer to its servers, or add a cable with more reach to the catalogue",
        )
        return
    joint, length_m = chosen
    for first, (name, legs) in enumerate(_fibres(run, joint)):
        done.assemblies.append(_assembly(run, name, legs, joint, length_m, first=first == 0))
        for leg in legs:
            near = LinkEnd(run.trunk.device, draft.port_name(run.switch, leg.key))
            done.links.append(Link(draft.name, leg.kind, near, leg.end, leg.speed_gbps, name, _child(leg)))
            for end in [(run.trunk.device, leg.key)] + ([(leg.end.device, leg.far_key)] if leg.far_key else []):
                done.lengths_m[end] = length_m
                done.joints[end] = joint


def _child(leg: _Leg) -> int:
    return int(leg.key.partition("/")[2] or 1)


def _fibres(run: _Run, joint: Joint) -> Iterator[tuple[str, tuple[_Leg, ...]]]:
    """Yield (assembly, its legs): one cable a run, or one fibre for each connector of the optic in the cage."""
    if joint.fibres == 1:
        yield run.name, run.ends
        return
    per_fibre = run.fit.legs // joint.fibres
    for number in range(joint.fibres):
        legs = tuple(leg for leg in run.ends if (_child(leg) - 1) // per_fibre == number)
        if legs:
            yield f"{run.name}-{number + 1}", legs


def _assembly(run: _Run, name: str, legs: Sequence[_Leg], joint: Joint, length_m: float, *, first: bool) -> Assembly:
    """Return an assembly; an optic that several fibres share is named by the first of them only."""
    trunk, leg = joint.trunk_transceiver, joint.leg_transceiver
    shared_at_leg = leg is not None and leg.connectors > 1 and not first
    return Assembly(
        id=name,
        cable=joint.cable.model,
        length_m=length_m,
        needed_m=run.needed_m,
        trunk=run.trunk,
        legs=tuple(leg.end for leg in legs),
        trunk_transceiver=trunk.model if trunk and first else None,
        leg_transceiver=leg.model if leg and not shared_at_leg else None,
    )


def lay_cables(drafts: Sequence[FabricDraft], placement: Placement, problems: Problems) -> Cabling:
    """Choose and cut every cable of the site; a run nothing reaches is an error."""
    done = Cabling()
    for draft in drafts:
        for number in range(len(draft.layout.seats)):
            for run in _host_runs(draft, number, placement):
                _plug_in(draft, run, done, problems)
        for run in _trunk_runs(draft, placement):
            _plug_in(draft, run, done, problems)
    return done
