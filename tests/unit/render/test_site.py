"""Everything a plan becomes, written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.render.csv_text import csv_text
from rackproof.render.folder import LIST, replace_files
from rackproof.render.site import render_site, site_files
from rackproof.site.load import load_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.plan.model.plan import Plan

CATALOGUE = Catalogue()
SIGNS = st.text(st.sampled_from('=+-@ab|," \n\t\u00a0'), max_size=4)
CELLS: st.SearchStrategy[object] = st.one_of(
    SIGNS, st.none(), st.booleans(), st.integers(0, 2), st.sampled_from([0.0, 1.0, 2.5])
)


@pytest.fixture(scope="module", params=["metrum-h200", "metrum-mi300x"])
def plan(request: pytest.FixtureRequest) -> Plan:
    site = Path(__file__).resolve().parents[3] / "inventory" / request.param / "site.yaml"
    return build_plan(load_site(site).site, CATALOGUE)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != LIST)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def in_pieces(files: Mapping[str, str]) -> dict[str, list[bytes]]:
    return {name: [character.encode() for character in text] for name, text in files.items()}


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_same_plan_gives_the_same_bytes(plan: Plan, tmp_path: Path) -> None:
    first = render_site(plan, CATALOGUE, tmp_path / "one")
    render_site(plan, Catalogue(), tmp_path / "other")

    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert {str(file.relative_to(first.folder)) for file in first.files} == set(contents(first.folder))
    assert first.changed


def test_a_second_time_nothing_is_touched(plan: Plan, tmp_path: Path) -> None:
    rendered = render_site(plan, CATALOGUE, tmp_path / "site")
    before = {file: file.stat().st_ino for file in rendered.files}

    again = render_site(plan, CATALOGUE, tmp_path / "site")

    assert not again.changed
    assert {file: file.stat().st_ino for file in again.files} == before


def test_what_others_keep_in_the_folder_stays(plan: Plan, tmp_path: Path) -> None:
    lab = tmp_path / "site" / "lab" / "state.json"
    lab.parent.mkdir(parents=True)
    lab.write_text("{}", encoding="utf-8")
    inode = lab.stat().st_ino

    render_site(plan, CATALOGUE, tmp_path / "site")

    assert lab.stat().st_ino == inode
    assert lab.read_text(encoding="utf-8") == "{}"


def test_a_switch_that_is_gone_leaves_no_file(plan: Plan, tmp_path: Path) -> None:
    old = tmp_path / "site" / "configs" / "leaf-99.cfg"
    replace_files(tmp_path / "site", in_pieces({"configs/leaf-99.cfg": "hostname leaf-99\n"}))

    assert render_site(plan, CATALOGUE, tmp_path / "site").changed
    assert not old.exists()


@pytest.mark.parametrize("moves", range(7))
def test_what_is_interrupted_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int) -> None:
    old = {"configs/a.cfg": "old a", "plan.json": "old plan", "lab/state": "running"}
    replace_files(tmp_path / "site", in_pieces(old))
    rename, count = Path.rename, iter(range(100))

    def interrupted(path: Path, target: Path) -> Path:
        if next(count) == moves:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    new = {"configs/b.cfg": "new b", "plan.json": "new plan", "ports.csv": "new ports"}
    stopped = False
    try:
        replace_files(tmp_path / "site", in_pieces(new))
    except KeyboardInterrupt:
        stopped = True

    expected = old if stopped else {**new, "lab/state": "running"}
    assert stopped == (moves < 5), "two files are moved away and three are moved in"
    assert contents(tmp_path / "site") == {name: text.encode() for name, text in expected.items()}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_cannot_be_written_leaves_the_old_files(tmp_path: Path) -> None:
    replace_files(tmp_path / "site", in_pieces({"plan.json": "old"}))

    def full() -> Iterator[bytes]:
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        replace_files(tmp_path / "site", {"configs/a.cfg": [b"new a"], "plan.json": full()})

    assert contents(tmp_path / "site") == {"plan.json": b"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_every_planned_cable_end_stands_in_the_schedule_once(plan: Plan) -> None:
    rows = table(site_files(plan, CATALOGUE)["cables.csv"])

    assert sorted((row["leg_device"], row["leg_port"]) for row in rows) == sorted(
        (link.b.device, link.b.port) for link in plan.links
    )
    assert {row["assembly"] for row in rows} == {assembly.id for assembly in plan.assemblies}
    assert all(
        row["trunk_label"] and row["leg_label"] and row["part_number"] for row in rows if row["fabric"] == "backend"
    )
    labels = [row["leg_label"] for row in rows]
    assert len(set(labels)) == len(labels)


def test_every_cable_reaches(plan: Plan) -> None:
    rows = table(site_files(plan, CATALOGUE)["cables.csv"])

    assert all(float(row["needed_m"]) <= float(row["length_m"]) for row in rows)
    assert all(row["trunk_position"] and row["leg_position"] for row in rows)


def test_every_cord_stands_in_its_list(plan: Plan) -> None:
    rows = table(site_files(plan, CATALOGUE)["cords.csv"])

    assert [(row["device_label"], row["pdu_label"]) for row in rows] == [
        (f"{cord.device}/psu{cord.supply}", f"{cord.pdu}/{cord.outlet}") for cord in plan.cords
    ]


def test_no_address_is_given_twice(plan: Plan) -> None:
    rows = [row for row in table(site_files(plan, CATALOGUE)["addresses.csv"]) if row["kind"] != "subnet"]

    given = [row["address"].partition("/")[0] for row in rows if row["kind"] != "anycast-gateway"]
    assert len(set(given)) == len(given)
    assert {row["device"] for row in rows} == set(plan.switches) | set(plan.servers) | set(plan.pdus)


def test_the_port_map_has_every_port_and_what_is_on_it(plan: Plan) -> None:
    rows = table(site_files(plan, CATALOGUE)["ports.csv"])

    for name, switch in plan.switches.items():
        of_switch = [row for row in rows if row["switch"] == name]
        whole = sum(ports.last - ports.first + 1 for ports in CATALOGUE.switch(switch.model).ports)
        split = sum(int(mode.partition("x")[0]) - 1 for mode in switch.breakouts.values())
        assert len(of_switch) == whole + split
        assert sum(row["use"] != "free" for row in of_switch) == len(plan.intents()[name].ports)
        assert all(row["peer_device"] or row["use"].startswith("uplink") for row in of_switch if row["use"] != "free")


def as_json(value: object) -> object:
    """A plan the slow way: every mapping key as text, every sequence a list."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Struct):
        return {name: as_json(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [as_json(inner) for inner in value]
    return value


def test_the_plan_is_written_whole(plan: Plan) -> None:
    assert json.loads(site_files(plan, CATALOGUE)["plan.json"]) == as_json(plan)


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", " \n=1+1"])
def test_no_cell_starts_a_formula(text: str) -> None:
    [row] = table(csv_text(["cell"], [[text]]))

    assert row["cell"] == f"'{text.strip()}"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_a_table_is_read_back_as_it_is_written_cell_by_cell(rows: list[tuple[object, object]]) -> None:
    lines = list(csv.reader(io.StringIO(csv_text(["a", "b"], rows), newline="")))

    assert lines == [["a", "b"], *([alone(cell) for cell in row] for row in rows)]


def alone(cell: object) -> str:
    """Return what a cell says in a table of its own: nothing beside it may change that."""
    [_, [text]] = csv.reader(io.StringIO(csv_text(["cell"], [[cell]]), newline=""))
    return text


def test_cells_are_plain() -> None:
    assert csv_text(["a", "b", "c", "d", "e"], [[None, True, 3.0, 2.5, 'say "x", y']]) == (
        'a,b,c,d,e\n,yes,3,2.5,"say ""x"", y"\n'
    )


def test_files_hold_no_users(plan: Plan) -> None:
    files: Mapping[str, str] = site_files(plan, CATALOGUE)

    assert not [name for name, text in files.items() if "username" in text or "password" in text.lower()]


def test_the_folder_may_be_deep(plan: Plan, tmp_path: Path) -> None:
    folder = tmp_path / "build" / "deep" / "site"

    render_site(plan, CATALOGUE, folder)

    assert (folder / "plan.json").is_file()
    shutil.rmtree(folder)
