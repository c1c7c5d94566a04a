"""Cables: every link a lane group of an assembly, every assembly long enough and one line of the bill of materials."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rackproof.errors import Problems, ValuePath
from rackproof.plan.allocation import Attachment
from rackproof.plan.fabrics import FabricDraft
from rackproof.plan.fit import Fit, Joint
from rackproof.plan.models import Assembly, Link, LinkEnd, LinkKind, Position
from rackproof.plan.placement import Placement
from rackproof.plan.ports import key_order, nos_port_name, port_of
from rackproof.plan.runs import run_m

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


@dataclass(frozen=True, slots=True)
class _Run:
    """An assembly before its cable is chosen."""

    trunk: LinkEnd
    fit: Fit
    needed_m: float
    ends: tuple[tuple[str, LinkEnd, LinkKind], ...]
    """(port key, far end, kind) of each leg in use."""
    path: ValuePath
    fabric: str


def _choose(run: _Run) -> tuple[Joint, float] | None:
    """Return the first joint whose lengths reach, and the shortest such length."""
    for joint in run.fit.joints:
        reaching = [length for length in joint.cable.lengths_m if length >= run.needed_m]
        if reaching and reaching[0] <= joint.reach_m:
            return joint, reaching[0]
    return None


def _longest_m(fit: Fit) -> float:
    return max(joint.reach_m for joint in fit.joints)


def _host_runs(draft: FabricDraft, number: int, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each front panel port of a switch that hosts or devices are plugged into."""
    switch, breakouts = draft.switch_name(number), draft.breakouts(number)
    by_port: dict[int, list[Attachment]] = defaultdict(list)
    for attachment in draft.layout.attachments:
        wired = attachment.socket.planned and attachment.socket.kind != "uplink"
        if attachment.switch == number and wired:
            by_port[port_of(attachment.key)].append(attachment)
    here = placement.positions.get(switch)
    for port, attachments in sorted(by_port.items()):
        there = [placement.positions.get(a.socket.device) for a in attachments]
        if here is None or None in there:
            continue
        needed = max(run_m(here, position, placement) for position in there if position)
        ends = tuple(
            (a.key, LinkEnd(a.socket.device, a.socket.port), a.socket.kind)
            for a in sorted(attachments, key=lambda a: key_order(a.key))
        )
        cage = nos_port_name(draft.nos, draft.model, str(port), breakouts)
        yield _Run(LinkEnd(switch, cage), attachments[0].fit, needed, ends, attachments[0].socket.path, draft.name)


def _trunk_runs(draft: FabricDraft, fit: Fit | None, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each link between two switches of a fabric."""
    for trunk in draft.layout.trunks if fit else ():
        a, b = draft.switch_name(trunk.a), draft.switch_name(trunk.b)
        if a not in placement.positions or b not in placement.positions or fit is None:
            continue
        needed = run_m(placement.positions[a], placement.positions[b], placement)
        near = nos_port_name(draft.nos, draft.model, trunk.a_key, {})
        far = nos_port_name(draft.nos, draft.model, trunk.b_key, {})
        ends: tuple[tuple[str, LinkEnd, LinkKind], ...] = ((trunk.a_key, LinkEnd(b, far), "inter-switch"),)
        yield _Run(LinkEnd(a, near), fit, needed, ends, (*draft.path, "switch"), draft.name)


def _plug_in(draft: FabricDraft, run: _Run, number: int, done: Cabling, problems: Problems) -> None:
    """Choose the cable of one run and record its assembly and links."""
    chosen = _choose(run)
    if chosen is None:
        problems.add(
            run.path,
            f"the cable from {run.trunk} to {run.ends[-1][1]} needs {run.needed_m:.1f} m; "
            f"the longest that fits reaches {_longest_m(run.fit):g} m",
            "put the switch nearer to its servers, or add a cable with more reach to the catalogue",
        )
        return
    joint, length_m = chosen
    name = f"{draft.name}-{number:04d}"
    breakouts = draft.breakouts(_switch_number(draft, run.trunk.device))
    done.assemblies.append(
        Assembly(
            id=name,
            cable=joint.cable.model,
            length_m=length_m,
            needed_m=run.needed_m,
            trunk=run.trunk,
            legs=tuple(end for _, end, _ in run.ends),
            trunk_transceiver=joint.trunk_transceiver.model if joint.trunk_transceiver else None,
            leg_transceiver=joint.leg_transceiver.model if joint.leg_transceiver else None,
        )
    )
    for key, end, kind in run.ends:
        near = LinkEnd(run.trunk.device, nos_port_name(draft.nos, draft.model, key, breakouts))
        leg = int(key.partition("/")[2] or 1)
        speed = joint.leg_transceiver.speed_gbps if joint.leg_transceiver else joint.cable.speed_gbps
        done.links.append(Link(draft.name, kind, near, end, speed, name, leg))
        done.lengths_m[run.trunk.device, key] = length_m
        done.joints[run.trunk.device, key] = joint


def _switch_number(draft: FabricDraft, switch: str) -> int:
    return next(n for n in range(len(draft.layout.seats)) if draft.switch_name(n) == switch)


def lay_cables(drafts: Sequence[FabricDraft], placement: Placement, problems: Problems) -> Cabling:
    """Choose and cut every cable of the site; a run nothing reaches is an error.

    Assemblies are numbered by the front panel port they are plugged into, so that growth renames none.
    """
    done = Cabling()
    for draft in drafts:
        per_switch = draft.model.ports[-1].last
        for number in range(len(draft.layout.seats)):
            for run in _host_runs(draft, number, placement):
                port = port_of(run.ends[0][0])
                _plug_in(draft, run, number * per_switch + port, done, problems)
        for run in _trunk_runs(draft, draft.trunk_fit, placement):
            number = _switch_number(draft, run.trunk.device) * per_switch + port_of(run.ends[0][0])
            _plug_in(draft, run, number, done, problems)
            _mirror(draft, run, done)
    return done


def _mirror(draft: FabricDraft, run: _Run, done: Cabling) -> None:
    """Record the far end of an inter-switch cable as the near end is."""
    near_key, far, _ = run.ends[0]
    if (run.trunk.device, near_key) not in done.lengths_m:
        return
    trunk = next(t for t in draft.layout.trunks if t.a_key == near_key)
    done.lengths_m[far.device, trunk.b_key] = done.lengths_m[run.trunk.device, near_key]
    done.joints[far.device, trunk.b_key] = done.joints[run.trunk.device, near_key]
