"""Reading YAML: what it means, where everything stands, and no text that breaks the reader."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackproof.site.document import KEY, Document, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path("site.yaml")


def read(text: str) -> Document:
    return read_document(FILE, text)


WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=8)
TEXTS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=8)
SCALARS = st.one_of(WORDS, st.integers(0, 10**9), st.booleans(), st.none(), TEXTS)
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)


def values(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield path, data
    rows = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in rows:
        yield from values(value, (*path, key))


@given(DATA)
def test_json_is_read_as_it_is(data: object) -> None:
    document = read(json.dumps(data))

    assert document.errors == []
    assert document.data == data


@given(DATA, st.sampled_from([None, 1, 3]))
def test_positions_point_at_the_text(data: object, indent: int | None) -> None:
    document = read(json.dumps(data, indent=indent))

    for path, value in values(data):
        place = document.place(path)
        if isinstance(value, dict | list) and path and isinstance(path[-1], str):
            expected = json.dumps(path[-1])
        else:
            expected = json.dumps(value)[:1] if isinstance(value, dict | list) else json.dumps(value)
        assert place.text[place.column - 1 :].startswith(expected)
        if path and isinstance(path[-1], str):
            key = document.place((*path, KEY))
            assert key.text[key.column - 1 :].startswith(json.dumps(path[-1]))


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    document = read(text)

    assert all(error.message and error.place for error in document.errors)


@given(st.text("[]{}:,&*!|>'\"%@`#-? \n\tab1~<=\\\r\x85\u2028\ufeff", max_size=40))
def test_no_syntax_breaks_the_reader(text: str) -> None:
    document = read(text)

    assert all(error.message and error.place for error in document.errors)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("0o17", 15),
        ("017", 17),
        ("0x1f", 31),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("=", "="),
        ("0b1", "0b1"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(written: str, meant: object) -> None:
    assert read(f"key: {written}").data == {"key": meant}


def test_values_after_anchors_are_read_again() -> None:
    document = read("a: &x {b: 1}\nc: *x\n")

    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}
    assert (document.place(("c", "b")).line, document.place(("c", KEY)).line) == (1, 2)


def test_aliases_cannot_grow_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]

    document = read("\n".join(lines))

    assert [error.message for error in document.errors] == [
        "the file holds more than 100000 values, with aliases expanded"
    ]


def test_nesting_has_an_end() -> None:
    assert [error.message for error in read("[" * 5000).errors] == ["the file is nested too deeply"]


def test_a_place_beyond_the_file_is_the_nearest_one() -> None:
    place = read("site: a\nracks: [{name: r1}]\n").place(("racks", 0, "pdus", "model"))

    assert (place.line, place.column, place.text) == (2, 9, "racks: [{name: r1}]")
