"""How many things are told of, and how."""

from __future__ import annotations

import pytest

from rackproof.plural import counted, listed


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (1234, "1,234 entries")]
)
def test_numbers_take_their_noun(number: int, words: str) -> None:
    assert counted(number, "entry", "entries") == words


def test_of_many_names_the_first_are_told_each_once() -> None:
    assert listed(["a", "b", "a"], 2) == "a, b"
    assert listed("abcde", 3) == "a, b, c and 2 more"
