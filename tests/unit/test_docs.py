"""The pages do not rot: links lead somewhere, and every command they tell a reader to type exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
import typer.main

from rackproof.cli.app import build_app
from tests.unit.source_tree import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

PAGES: Final = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")])
CODE: Final = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
LINK: Final = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE: Final = re.compile(r"(?:^|[`&;] *)make ([a-z][a-z-]*)", re.MULTILINE)
RACKPROOF: Final = re.compile(r"(?:^|[`&;] *)(?:\.venv/bin/)?rackproof ([a-z]+)(?: ([a-z]+))?", re.MULTILINE)


def page_id(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


def code_of(page: Path) -> str:
    """Every code block and inline code of a page, one a line."""
    return "\n".join(block or inline for block, inline in CODE.findall(page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(page: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    linked = (page.parent / target).resolve() if target else page
    return not linked.exists() or bool(anchor and anchor not in anchors(linked))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]

    assert [link for link in links if is_dead(page, link)] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_targets_exist(page: Path) -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert set(MAKE.findall(code_of(page))) - targets == set()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_verbs_exist(page: Path) -> None:
    command = typer.main.get_command(build_app())
    assert isinstance(command, typer.core.TyperGroup)
    unknown = []
    for verb, second in RACKPROOF.findall(code_of(page)):
        found = command.commands.get(verb)
        if found is None or (isinstance(found, typer.core.TyperGroup) and second and second not in found.commands):
            unknown.append(f"rackproof {verb} {second}".strip())

    assert unknown == []


def test_every_page_is_found_from_the_index() -> None:
    index = CHECKOUT / "docs" / "index.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links}

    assert {page for page in PAGES if page.is_relative_to(index.parent)} - linked == {index}


def test_every_check_is_seen_failing() -> None:
    """The page is generated from the tests that say so, and is fresh: see test_house.py."""
    rows = (CHECKOUT / "docs" / "reference" / "checks.md").read_text(encoding="utf-8").splitlines()

    assert len(rows) > 100
    assert [row for row in rows if "**nowhere**" in row] == []
