"""Which words the release of a NOS uses."""

from __future__ import annotations

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.network.nos_syntax import nos_dialect


@pytest.mark.parametrize(
    ("version", "dialect"),
    [("5.9", "5.12"), ("5.12.1", "5.12"), ("5.13", "5.13"), ("5.14.0", "5.14"), ("5.15.2", "5.15"), ("5.16", "5.15")],
)
def test_a_release_speaks_the_newest_dialect_that_it_knows(version: str, dialect: str) -> None:
    assert nos_dialect(Catalogue().nos("cumulus"), version) == dialect


def test_a_nos_that_always_writes_alike_has_no_dialect() -> None:
    assert nos_dialect(Catalogue().nos("enterprise-sonic"), "4.5.0") is None
