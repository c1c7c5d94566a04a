"""Everything a plan becomes, in one folder: the same plan gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.render.addresses import addresses_csv
from rackproof.render.cabling import cables_csv, cords_csv
from rackproof.render.folder import replace_files
from rackproof.render.plan_json import plan_json
from rackproof.render.port_map import ports_csv
from rackproof.render.reachability import reachability_csv
from rackproof.render.switch import configuration_suffix, render_switch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan, SwitchIntent, SwitchPlan

CONFIGURATIONS = "configs"
"""Folder of the switches' configuration files."""


@dataclass(frozen=True, slots=True)
class RenderedSite:
    """What was generated for a site."""

    folder: Path
    files: tuple[Path, ...]
    """Every generated file, sorted."""
    changed: bool
    """Whether anything differs from what stood there before."""


def site_files(plan: Plan, catalogue: Catalogue) -> dict[str, str]:
    """Return every generated file of a site: path in the site's folder to text.

    Raises
    ------
    BadInputError
        A switch's NOS cannot be rendered.
    """
    return {name: b"".join(pieces).decode() for name, pieces in site_pieces(plan, catalogue).items()}


def site_pieces(plan: Plan, catalogue: Catalogue) -> dict[str, Iterator[bytes]]:
    """Return the same files, each made piece by piece as it is taken: a large site's do not fit into memory.

    Raises
    ------
    BadInputError
        A switch's NOS cannot be rendered; also while pieces are taken.
    """
    configurations = {
        f"{CONFIGURATIONS}/{name}{configuration_suffix(switch.nos)}": _configuration(switch, switch.intent, catalogue)
        for name, switch in sorted(plan.switches.items())
        if switch.intent is not None
    }
    return configurations | {
        "addresses.csv": addresses_csv(plan),
        "cables.csv": cables_csv(plan, catalogue),
        "cords.csv": cords_csv(plan, catalogue),
        "plan.json": plan_json(plan),
        "ports.csv": ports_csv(plan, catalogue),
        "reachability.csv": reachability_csv(plan, catalogue),
    }


def _configuration(switch: SwitchPlan, intent: SwitchIntent, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield the configuration of one switch."""
    yield render_switch(switch.nos, catalogue.switch(switch.model), intent).encode()


def render_site(plan: Plan, catalogue: Catalogue, folder: Path) -> RenderedSite:
    """Write everything a plan becomes into ``folder``, all of it or nothing; other things there are left alone.

    Raises
    ------
    BadInputError
        A switch's NOS cannot be rendered; nothing is written.
    OSError
        The files cannot be written; the folder is as it was.
    """
    files = site_pieces(plan, catalogue)
    changed = replace_files(folder, files)
    return RenderedSite(folder, tuple(folder / name for name in sorted(files)), changed)
