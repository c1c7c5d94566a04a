"""Nothing of a plan is left out of its tables."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest
from msgspec import to_builtins

from rackproof.plan.from_file import plan_site
from rackproof.site.load import find_site
from tests.golden.plan_tables import plan_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

SITES: Final = ("azure-nd-h100", "dell-era-2-8-9", "h20044")


def words(value: object) -> Iterator[str]:
    """Every word of every value in a document."""
    if isinstance(value, dict):
        for one in value.values():
            yield from words(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from words(one)
    elif value is not None:
        yield from str(value).split()


@pytest.mark.parametrize("site", SITES)
def test_every_value_of_a_plan_is_in_its_tables(site: str) -> None:
    plan = plan_site(find_site(site)).plan

    tables = [list(csv.reader(io.StringIO(text)))[1:] for text in plan_tables(plan).values()]

    assert Counter(words(to_builtins(plan))) - Counter(words(tables)) == Counter()
