"""Whatever is done to a site file, it is either planned or refused in sentences."""

from __future__ import annotations

import json
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

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = site_file("metrum-h200")
TEXT: Final = FILE.read_text(encoding="utf-8")
DATA: Final[Any] = read_document(FILE, TEXT).data
CATALOGUE: Final = Catalogue()

ODD_VALUES: Final[tuple[object, ...]] = (
    None, True, -1, 0, 1, 3, 7, 4094, 10**30, 2.5, "", " ", "-", "x", "r1", "gpu", "oob", "10.0.0.0/8", "10.10.0.1",
    "0.0.0.0/0", "10.10.0.0/31", "metrum-2024", "dell-s3248t-on", "redundant-pair", "é", "\u202e", "a" * 300,
    [], {}, [[]], [{}], {"x": 1}, {"": None}, [1, 2], ["r1", "r1"],
)  # fmt: skip


def paths(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    rows = list(data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ())
    return [path, *(found for key, value in rows for found in paths(value, (*path, key)))]


PLACES: Final = [path for path in paths(DATA) if path]


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
