"""Whatever is done to a site file, it is either planned or refused in sentences."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import BadInputError, SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.paths import site_file
from rackproof.plan.from_file import plan_site
from rackproof.site.document import read_document
from rackproof.site.models import Storage

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = site_file("metrum-h200")
TEXT: Final = FILE.read_text(encoding="utf-8")
DATA: Final[Any] = read_document(FILE, TEXT).data
CATALOGUE: Final = Catalogue()

ODD_VALUES: Final[tuple[object, ...]] = (
    None, True, -1, 0, 1, 3, 7, 4094, 10**30, 2.5, "", " ", "-", "x", "r1", "gpu", "oob", "10.0.0.0/8", "10.10.0.1",
    "0.0.0.0/0", "10.10.0.0/31", "metrum-2024", "dell-s3248t-on", "redundant-pair", "é", "\u202e", "a" * 300,
    "{{ lookup('pipe', 'id') }}", "$(id)", "`id`", "a; id", "a\nb", "../../etc", "%n", "-oProxyCommand=id", "=1+1",
    "<script>", "GPU 1", [], {}, [[]], [{}], {"x": 1}, {"": None}, [1, 2], ["r1", "r1"],
)  # fmt: skip


def paths(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    rows = list(data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ())
    return [path, *(found for key, value in rows for found in paths(value, (*path, key)))]


PLACES: Final = [path for path in paths(DATA) if path]


INVENTED: Final = re.compile(r"stand-in|(is|most|holds) -[0-9]")
"""What no message may say: a name that Rackproof invented to go on checking, and a number below zero of anything."""


def refusal(path: Path) -> BadInputError | None:
    try:
        plan_site(path, CATALOGUE)
    except BadInputError as error:
        return error
    return None


def plan_or_refuse(path: Path) -> None:
    said = refusal(path)
    assert said is None or said.message
    if isinstance(said, SiteErrors):
        assert all(error.message and error.place for error in said.errors)
        assert any(not error.warning for error in said.errors)
        assert [text for error in said.errors if INVENTED.search(text := f"{error.message} {error.hint}")] == []


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutations") / "site.yaml"


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(ODD_VALUES)), min_size=1, max_size=3))
def test_odd_values(file: Path, changes: list[tuple[tuple[str | int, ...], object]]) -> None:
    data = deepcopy(DATA)
    for path, value in changes:
        put(data, path, deepcopy(value))
    file.write_text(json.dumps(data), encoding="utf-8")

    plan_or_refuse(file)


def put(data: Any, path: tuple[Any, ...], value: object) -> None:  # noqa: ANN401 decoded YAML
    """Set one value, unless an earlier change took its place away."""
    for step in path[:-1]:
        if not has(data, step):
            return
        data = data[step]
    if has(data, path[-1]):
        data[path[-1]] = value


def has(data: object, step: str | int) -> bool:
    return step in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ())


@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=6))
def test_cut_and_pasted_text(file: Path, start: int, length: int, pasted: str) -> None:
    file.write_text(TEXT[:start] + pasted + TEXT[start + length :], encoding="utf-8")

    plan_or_refuse(file)


@given(st.binary(max_size=200))
def test_any_bytes(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    plan_or_refuse(file)


@settings(max_examples=20)
@given(st.permutations(list(DATA)))
def test_the_order_of_keys_does_not_matter(file: Path, order: list[str]) -> None:
    file.write_text(json.dumps({key: DATA[key] for key in order}), encoding="utf-8")

    assert plan_site(file, CATALOGUE).plan == plan_site(FILE, CATALOGUE).plan


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({("racks", 0, "name"): "Rack 1"}, ["'Rack 1' is not a valid name"]),
        ({("fabrics", "backend", "nos"): "Enterprise SONiC"}, ["'Enterprise SONiC' is not a valid catalogue name"]),
        ({("servers", 0, "group"): "GPU 1", ("servers", 0, "rack"): "r9"}, ["'GPU 1' is not", "there is no rack r9"]),
    ],
)
def test_invented_names_are_never_shown(file: Path, changes: dict[tuple[str | int, ...], str], said: list[str]) -> None:
    data = deepcopy(DATA)
    for path, value in changes.items():
        put(data, path, value)
    file.write_text(json.dumps(data), encoding="utf-8")

    refused = refusal(file)

    assert isinstance(refused, SiteErrors)
    messages = [error.message for error in refused.errors if not error.warning]
    assert [message[: len(start)] for message, start in zip(messages, said, strict=True)] == said


def test_a_group_that_fills_every_switch_alone_is_no_negative_number(file: Path) -> None:
    path = site_file("h20044")
    data: Any = read_document(path, path.read_text(encoding="utf-8")).data
    data["servers"][1]["count"] = 8192
    file.write_text(json.dumps(data), encoding="utf-8")

    refused = refusal(file)

    assert isinstance(refused, SiteErrors)
    hints = {error.hint.partition(";")[0] for error in refused.errors if "find no place on" in error.message}
    assert hints == {"the other servers on this fabric take more ports than the switch has"}


PAYLOADS: Final[tuple[tuple[tuple[str | int, ...], object, str], ...]] = (
    (("servers", 0, "kernel_arguments"), ["{{lookup('pipe','id')}}"], "is not one kernel argument"),
    (("servers", 0, "kernel_arguments"), ["a=$(id)"], "is not one kernel argument"),
    (("servers", 0, "kernel_arguments"), ["a=`id`"], "is not one kernel argument"),
    (("servers", 0, "kernel_arguments"), ['a";id;"'], "is not one kernel argument"),
    (("servers", 0, "kernel_arguments"), ["a\nb"], "is not one kernel argument"),
    (("servers", 0, "group"), "gpu;id", "is not a valid name"),
    (("servers", 0, "retired"), ["gpu-001\n- x"], "is not a valid name"),
    (("fabrics", "backend", "unmanaged"), ["snmp\nusername x"], "is not one line of printable ASCII"),
    (("fabrics", "backend", "switch"), "../../x", "is not a valid catalogue name"),
    (("racks", 0, "name"), "=cmd|'/c calc'!A1", "is not a valid name"),
    (("site",), "../../etc", "is not a valid name"),
    (("release",), "{{ 7 * 7 }}", "is not a valid catalogue name"),
    (("external", "dns"), ["192.0.2.1; id"], "must be an IPv4 address"),
)


@pytest.mark.parametrize(("path", "payload", "said"), PAYLOADS, ids=str)
def test_payloads_are_refused_by_type(file: Path, path: tuple[str | int, ...], payload: object, said: str) -> None:
    data = deepcopy(DATA)
    owner: Any = data
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = payload
    file.write_text(json.dumps(data), encoding="utf-8")

    refused = refusal(file)

    assert isinstance(refused, SiteErrors)
    assert [error.message for error in refused.errors if said in error.message]


@pytest.mark.parametrize("export", ["/ifs/%n", "/ifs/../etc", "/ifs\nExecStart=/bin/id", "/a b", "/$(id)", "ifs"])
def test_payloads_of_an_export_are_refused(export: str) -> None:
    with pytest.raises(ValueError, match="export"):
        Storage.model_validate({"name": "nfs", "model": "dell-f710", "nodes": 3, "export": export})
