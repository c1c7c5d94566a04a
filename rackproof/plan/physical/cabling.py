"""Cables: every link a lane group of an assembly, every assembly long enough and one line of the bill of materials."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from rackproof.errors import Problems, ValuePath
from rackproof.plan.fabric.cable_fit import CableOption, Fit
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import Assembly, Link, LinkEnd, LinkKind
from rackproof.plan.model.port_names import front_panel_port, key_order
from rackproof.plan.physical.cable_runs import run_m
from rackproof.plan.physical.placement import Placement
from rackproof.types import Fec, split_breakout


class Plug(Struct, frozen=True, gc=False):
    """What is plugged into a port: what joins it, and how long the cable is."""

    option: CableOption
    length_m: float
    fec: Fec
    """Forward error correction the port needs with it."""


@dataclass(slots=True)
class Cabling:
    """Everything that is plugged in."""

    links: list[Link] = field(default_factory=list)
    assemblies: list[Assembly] = field(default_factory=list)
    plugs: dict[str, dict[str, Plug]] = field(default_factory=lambda: defaultdict(dict))
    """Switch to port key to what is plugged into it; runs that are alike share a plug."""
    _chosen: dict[tuple[int, float], Plug | None] = field(default_factory=dict)
    """(identity of a fit, needed length) to the first joint that reaches."""

    def plug(self, fit: Fit, needed_m: float) -> Plug | None:
        """Return the first joint of a fit whose lengths reach, cut to the shortest such length; None: none does."""
        alike = (id(fit), needed_m)  # the drafts keep every fit
        if alike not in self._chosen:
            self._chosen[alike] = _choose(fit, needed_m)
        return self._chosen[alike]


class _Leg(Struct, frozen=True, gc=False):
    """A leg in use, or one of the lane groups of a cable between two switches."""

    key: str
    """Port key at the trunk end."""
    near: LinkEnd
    end: LinkEnd
    kind: LinkKind
    speed_gbps: int
    child: int
    """Number of the leg, from 1."""
    far_key: str | None = None
    """Port key at the far end, where that is a switch."""


class _Run(Struct, frozen=True, gc=False):
    """An assembly before its cable is chosen."""

    name: str
    """Number of the assembly: fabric, switch and front panel port, so that growth renames none."""
    trunk: LinkEnd
    fit: Fit
    needed_m: float
    ends: tuple[_Leg, ...]
    path: ValuePath


def _choose(fit: Fit, needed_m: float) -> Plug | None:
    """Return the first joint whose lengths reach, and the shortest such length."""
    for option in fit.options:
        reaching = [length for length in option.cable.lengths_m if length >= needed_m]
        if reaching and reaching[0] <= option.reach_m:
            return Plug(option, reaching[0], option.fec)
    return None


def _longest_m(fit: Fit) -> float:
    return max(option.reach_m for option in fit.options)


def _assembly_name(draft: FabricDraft, number: int, port: int) -> str:
    return f"{draft.owner or draft.name}-{number * draft.model.ports[-1].last + port:04d}"


def _host_runs(draft: FabricDraft, number: int, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each front panel port of a switch that hosts or devices are plugged into.

    It reaches the places that are kept for growth too, so that growth changes no cable.
    """
    switch = draft.switch_name(number)
    by_port: dict[int, list[Attachment]] = defaultdict(list)
    for attachment in draft.layout.attachments_by_switch[number]:
        if attachment.device_port.kind != "uplink":
            by_port[front_panel_port(attachment.key)].append(attachment)
    here, positions, names = placement.positions.get(switch), placement.positions, draft.port_names(number)
    for port, attachments in sorted(by_port.items()):
        there = {positions.get(a.device_port.device) for a in attachments}
        used = [a for a in attachments if a.device_port.planned]
        if here is None or None in there or not used:
            continue
        needed = max([run_m(here, position, placement) for position in there if position])
        legs = _host_legs(used, switch, names)
        cage = LinkEnd(switch, names[str(port)])
        name, first = _assembly_name(draft, number, port), attachments[0]
        yield _Run(name, cage, first.fit, needed, legs, first.device_port.path)


def _host_legs(attachments: Sequence[Attachment], switch: str, names: Mapping[str, str]) -> tuple[_Leg, ...]:
    """Return the legs in use of one front panel port, in order."""
    legs = []
    for key, device_port in sorted(((a.key, a.device_port) for a in attachments), key=lambda leg: key_order(leg[0])):
        far = LinkEnd(device_port.device, device_port.port)
        legs.append(_Leg(key, LinkEnd(switch, names[key]), far, device_port.kind, device_port.speed_gbps, _child(key)))
    return tuple(legs)


def _isl_runs(draft: FabricDraft, placement: Placement) -> Iterator[_Run]:
    """Yield one run for each cable between two switches of a fabric that are both there."""
    switches, fit = draft.layout.switches, draft.layout.isl_fit
    if fit is None:
        return
    names = [draft.port_names(number) for number in range(len(switches))]
    positions = [
        placement.positions.get(switch) if planned_switch.planned else None
        for switch, planned_switch in zip(draft.switch_names, switches, strict=True)
    ]
    for trunk in draft.layout.isl_cables:
        here, there = positions[trunk.a], positions[trunk.b]
        if here is None or there is None:
            continue
        a, b, at_a, at_b = draft.switch_names[trunk.a], draft.switch_names[trunk.b], names[trunk.a], names[trunk.b]
        speed = split_breakout(trunk.mode)[1] if trunk.mode else fit.ports.speed_gbps
        legs = tuple(
            [
                _Leg(a_key, LinkEnd(a, at_a[a_key]), LinkEnd(b, at_b[b_key]), "inter-switch", speed, child, b_key)
                for child, (a_key, b_key) in enumerate(trunk.links(), start=1)
            ]
        )
        cage = LinkEnd(a, at_a[str(trunk.a_port)])
        name = _assembly_name(draft, trunk.a, trunk.a_port)
        yield _Run(name, cage, fit, run_m(here, there, placement), legs, (*draft.path, "switch"))


def _plug_in(fabric: str, run: _Run, done: Cabling, problems: Problems) -> None:
    """Choose the cable of one run and record its assemblies and links."""
    plug = done.plug(run.fit, run.needed_m)
    if plug is None:
        problems.add(
            run.path,
            f"the cable from {run.trunk} to {run.ends[-1].end} needs {run.needed_m:.1f} m; "
            f"the longest that fits reaches {_longest_m(run.fit):g} m",
            "put the switch nearer to its servers, or add a cable with more reach to the catalogue",
        )
        return
    here = done.plugs[run.trunk.device]
    for first, (name, legs) in enumerate(_fibres(run, plug.option)):
        done.assemblies.append(_assembly(run, name, legs, plug, first=first == 0))
        for leg in legs:
            done.links.append(Link(fabric, leg.kind, leg.near, leg.end, leg.speed_gbps, name, leg.child))
            here[leg.key] = plug
            if leg.far_key:
                done.plugs[leg.end.device][leg.far_key] = plug


def _child(key: str) -> int:
    return int(key.partition("/")[2] or 1)


def _fibres(run: _Run, option: CableOption) -> Iterator[tuple[str, tuple[_Leg, ...]]]:
    """Yield (assembly, its legs): one cable a run, or one fibre for each connector of the optic in the cage."""
    fibres = option.fibres
    if fibres == 1:
        yield run.name, run.ends
        return
    per_fibre = run.fit.legs // fibres
    for number in range(fibres):
        legs = tuple([leg for leg in run.ends if (leg.child - 1) // per_fibre == number])
        if legs:
            yield f"{run.name}-{number + 1}", legs


def _assembly(run: _Run, name: str, legs: Sequence[_Leg], plug: Plug, *, first: bool) -> Assembly:
    """Return an assembly; an optic that several fibres share is named by the first of them only."""
    option = plug.option
    trunk, leg = option.trunk_transceiver, option.leg_transceiver
    shared_at_leg = leg is not None and leg.connectors > 1 and not first
    return Assembly(
        id=name,
        cable=option.cable.model,
        length_m=plug.length_m,
        needed_m=run.needed_m,
        trunk=run.trunk,
        legs=tuple([leg.end for leg in legs]),
        trunk_transceiver=trunk.model if trunk and first else None,
        leg_transceiver=leg.model if leg and not shared_at_leg else None,
    )


def lay_cables(drafts: Sequence[FabricDraft], placement: Placement, problems: Problems) -> Cabling:
    """Choose and cut every cable of the site; a run nothing reaches is an error."""
    done = Cabling()
    for draft in drafts:
        for number in range(len(draft.layout.switches)):
            for run in _host_runs(draft, number, placement):
                _plug_in(draft.name, run, done, problems)
        for run in _isl_runs(draft, placement):
            _plug_in(draft.name, run, done, problems)
    return done
