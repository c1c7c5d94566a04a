"""Documentation is current: every link, path, import, make target, command and option that a page names exists."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Final

import pytest
import typer.main

from rackproof.cli.app import build_app
from tests.unit.source_tree import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

PAGES: Final = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")])
WRITTEN: Final = [page for page in PAGES if page.parent.name != "reference"]
CODE: Final = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
LINK: Final = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE: Final = re.compile(r"(?:^|[`&;] *)make ([a-z][a-z-]*)", re.MULTILINE)
RACKPROOF: Final = re.compile(r"(?:^|[`&;] *)(?:\.venv/bin/)?rackproof ([a-z]+)(?: ([a-z]+))?([^#\n]*)", re.MULTILINE)
OPTION: Final = re.compile(r"(?<!\S)--[a-z][a-z-]*")
IMPORT: Final = re.compile(r"^from ((?:rackproof|lab|validation|infra)[\w.]*) import ([\w, ]+)$", re.MULTILINE)
PATH: Final = re.compile(r"(?<![\w./<>*~$-])[\w.-]+/[\w./<>*-]*")
PACKAGE: Final = CHECKOUT / "rackproof"
# A site of the reader, a model that the reader adds, files that are written beside a site file, and a run.
OF_THE_READER: Final = re.compile(
    r"mysite|z9999f|inventory/[^/]+/(access|as-built|waivers|baseline)\.yaml|facts/<device>"
)


def page_id(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


def page_code(page: Path) -> str:
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

    assert set(MAKE.findall(page_code(page))) - targets == set()


def names_a_folder(path: str) -> bool:
    """Whether a text with a slash begins with a folder of the checkout or of the library."""
    first = path.split("/", maxsplit=1)[0]
    return first[0] != "." and first != "build" and any((root / first).is_dir() for root in (CHECKOUT, PACKAGE))


def is_missing(path: str) -> bool:
    """Whether neither checkout nor library has a path; ``<nos>`` and ``*`` stand for any name."""
    pattern = re.sub(r"<[^>]*>", "*", path).strip("/.")
    return not any(True for root in (CHECKOUT, PACKAGE) for _ in root.glob(pattern))


@pytest.mark.parametrize("page", WRITTEN, ids=page_id)
def test_paths_exist(page: Path) -> None:
    named = {path for path in PATH.findall(page_code(page)) if names_a_folder(path)}

    assert {path for path in named if not OF_THE_READER.search(path) and is_missing(path)} == set()


def test_a_path_that_does_not_exist_is_found() -> None:
    named = [
        "rackproof/site/models.py",
        "rackproof/site/meaning.py",
        "plan/<nos>/x.py",
        "roles/<role>/vars/managed.yml",
    ]

    assert [names_a_folder(path) and is_missing(path) for path in named] == [False, True, True, False]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_imports_exist(page: Path) -> None:
    imports = IMPORT.findall(page_code(page))
    named = [(module, name) for module, names in imports for name in names.split(", ")]

    assert [one for one in named if not hasattr(importlib.import_module(one[0]), one[1])] == []


def unknown_in(verb: str, second: str, rest: str) -> list[str]:
    """Return which words of a command line the command does not have."""
    command = typer.main.get_command(build_app())
    for word in (verb, second):
        if isinstance(command, typer.core.TyperGroup) and word:
            found = command.commands.get(word)
            if found is None:
                return [word]
            command = found
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return [option for option in OPTION.findall(rest) if option not in {*known, "--help"}]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_exist(page: Path) -> None:
    commands = RACKPROOF.findall(page_code(page))

    assert {found: unknown for found in commands if (unknown := unknown_in(*found))} == {}


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
