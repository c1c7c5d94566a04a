"""Collecting: which tests a check becomes on this site, and which results a run must have."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any, Final, cast

import msgspec
import pytest

from rackproof.errors import RackproofError
from rackproof.files import write_whole
from rackproof.paths import RUN_FILE, latest_validation
from rackproof.results import Expected, load_run
from validation.expected.subjects import Fabric, Server, Switch
from validation.runner.catalogue import all_checks, check_id, marks
from validation.runner.session_setup import PreparedRun, input_hashes

SUBJECTS: Final = ("server", "switch", "fabric", "site")
"""Arguments of a check that make it a test for each of them; the last one is there once."""
EMPTY: Final = "nothing here"
"""Parameter of a check that applies to nothing on this site."""
COLLECTED: Final = "collected.json"


class Collected(msgspec.Struct, frozen=True):
    """What was collected, for the process that writes the run."""

    expected: tuple[Expected, ...]
    running: tuple[Expected, ...]
    """Those of them that this run itself finds out; the others are carried over from the last one."""
    selected: bool


Node = tuple[str, str]
"""ID of a check, and the device whose test it is; empty: the site's."""


def parametrise(metafunc: pytest.Metafunc, prepared: PreparedRun) -> None:
    """Make a test of each subject that a check applies to."""
    for kind in SUBJECTS[:-1]:
        if kind in metafunc.fixturenames:
            found = [name for name in _candidates(kind, prepared) if _applies(metafunc.function, kind, name, prepared)]
            metafunc.parametrize(kind, found or [EMPTY], indirect=True, ids=str)
            return


def _candidates(kind: str, prepared: PreparedRun) -> Iterable[str]:
    plan = prepared.site.plan
    if kind == "fabric":
        return plan.fabrics
    known = plan.servers if kind == "server" else plan.intents()
    return [name for name in prepared.devices if name in known]


def _applies(function: FunctionType, kind: str, name: str, prepared: PreparedRun) -> bool:
    makers: dict[str, Callable[..., Any]] = {"server": Server, "switch": Switch, "fabric": Fabric}
    subject = makers[kind](name, prepared.site)
    return all(mark.args[0](subject) for mark in marks(function) if mark.name == "applies_to")


def test_node(item: pytest.Item) -> Node:
    """Return the check and the device of a test."""
    function = cast("pytest.Function", item)
    parameters = function.callspec.params if hasattr(function, "callspec") else {}
    device = next((str(parameters[kind]) for kind in ("server", "switch") if kind in parameters), "")
    return check_id(function.module.__name__, function.originalname), device


def select_tests(items: list[pytest.Item], prepared: PreparedRun) -> Collected:
    """Leave the tests that this run is about in ``items``, device by device, and return what it must find out."""
    seen = {test_node(item)[0] for item in items}
    items[:] = [item for item in items if _is_about_something(item, prepared)]
    items.sort(key=_order(prepared))
    expected = tuple(dict.fromkeys(Expected(*test_node(item)) for item in items))
    if prepared.options.failed:
        again = failed_before(prepared)
        items[:] = [item for item in items if test_node(item) in again]
    return Collected(expected, expected, selected=bool(prepared.options.only) or seen != set(all_checks()))


def after_selection(collected: Collected, items: Iterable[pytest.Item], *, deselected: bool) -> Collected:
    """Return what was collected after pytest's own selection by name and mark."""
    running = tuple(dict.fromkeys(Expected(*test_node(item)) for item in items))
    return Collected(collected.expected, running, collected.selected or deselected)


def write_collected(collected: Collected, prepared: PreparedRun) -> None:
    """Keep what was collected in the run's folder."""
    write_whole(prepared.site.run.path / COLLECTED, [msgspec.json.encode(collected)])


def read_collected(prepared: PreparedRun) -> Collected:
    """Return what was collected; nothing, where collection did not come to its end."""
    path = prepared.site.run.path / COLLECTED
    if not path.is_file():
        return Collected((), (), selected=True)
    return msgspec.json.decode(path.read_bytes(), type=Collected)


def last_run(prepared: PreparedRun) -> Path:
    """Return the file of the last run that was written."""
    return latest_validation(prepared.site.plan.site) / RUN_FILE


def refuse_changed_inputs(prepared: PreparedRun) -> None:
    """Make sure that the last run, whose results are carried over, had the same inputs.

    Raises
    ------
    RackproofError
        An input changed since then.
    """
    before, now = load_run(last_run(prepared)).hashes, input_hashes(prepared)
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    if changed:
        raise RackproofError(f"{', '.join(changed)} changed since the last run", "run all checks, without --failed")


def failed_before(prepared: PreparedRun) -> frozenset[Node]:
    """Return what did not pass in the last run: its nodes with another state, and those it had no result for."""
    run = load_run(last_run(prepared))
    bad = [one for one in run.results if one.state in {"failed", "error", "skipped"}]
    nodes = {(one.check_id, one.device) for one in bad} | {(one.check_id, "") for one in bad}
    return frozenset(nodes | {(one.check_id, one.device) for one in run.missing})


def _is_about_something(item: pytest.Item, prepared: PreparedRun) -> bool:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    wanted = prepared.options.disruptive or item.get_closest_marker("disruptive") is None
    return wanted and EMPTY not in parameters.values()


def _order(prepared: PreparedRun) -> Callable[[pytest.Item], tuple[bool, int]]:
    """Return the key that puts tests device by device, what is of the site after them, what disturbs it last."""
    places = {name: place for place, name in enumerate(prepared.devices)}

    def key(item: pytest.Item) -> tuple[bool, int]:
        return item.get_closest_marker("disruptive") is not None, places.get(test_node(item)[1], len(places))

    return key
