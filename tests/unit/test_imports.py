"""Imports run one way, and each power (connecting, printing, finding folders) has one home."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.source_tree import PRODUCT, Module, modules

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE: Final = {
    "rackproof.types",
    "rackproof.errors",
    "rackproof.files",
    "rackproof.pages",
    "rackproof.paths",
    "rackproof.plural",
}
CATALOGUE: Final = BASE | {"rackproof.hardware", "rackproof.releases"}
ASKED: Final = CATALOGUE | {"rackproof.site"}
PLANNED: Final = ASKED | {"rackproof.plan"}
DERIVED: Final = {"rackproof.render", "rackproof.facts", "rackproof.results"}

# The one table of the order: what each part of the project may import from the project, besides itself.
MAY_IMPORT: Final[dict[str, set[str]]] = {
    "rackproof": set(),
    "rackproof.types": set(),
    "rackproof.errors": {"rackproof.types"},
    "rackproof.files": set(),
    "rackproof.pages": {"rackproof.paths"},
    "rackproof.paths": set(),
    "rackproof.plural": set(),
    "rackproof.hardware": BASE,
    "rackproof.releases": BASE,
    "rackproof.site": CATALOGUE,
    "rackproof.plan": ASKED,
    "rackproof.render": PLANNED,
    "rackproof.facts": PLANNED,
    "rackproof.results": PLANNED,
    "rackproof.report": PLANNED | {"rackproof.results"},
    "rackproof.deploy": PLANNED | DERIVED,
    "rackproof.cli": PLANNED | DERIVED | {"rackproof.deploy", "rackproof.report", "lab"},
    "lab": PLANNED,
    "infra": PLANNED | DERIVED | {"rackproof.deploy"},
    "validation": PLANNED | DERIVED | {"rackproof.deploy", "lab"},
}

# Where each foreign library may be used; a library that is not named may be used anywhere.
ONLY_IN: Final[dict[str, set[str]]] = {
    "ansible": set(),
    "ansible_runner": {"rackproof.deploy"},
    "asyncssh": {"rackproof.deploy", "lab"},
    "grpc": {"infra"},
    "http": {"rackproof.deploy", "lab"},
    "netmiko": {"rackproof.deploy"},
    "paramiko": {"rackproof.deploy", "lab"},
    "pulumi": {"infra"},
    "pytest": {"validation"},
    "testinfra": {"validation"},
    "xdist": {"validation"},
    "requests": {"rackproof.deploy"},
    "rich": {"rackproof.cli"},
    "socket": {"rackproof.deploy", "lab"},
    "ssl": {"rackproof.deploy", "lab"},
    "typer": {"rackproof.cli"},
    "urllib": {"rackproof.deploy"},
}

RUNNER: Final = "ansible_runner"
PRODUCT_MODULES: Final = modules(*PRODUCT)


def part_of(name: str) -> str | None:
    """The part of the project that a dotted name belongs to; None for a foreign name."""
    top, *rest = name.split(".")
    if top not in PRODUCT:
        return None
    return top if top != "rackproof" or not rest else f"rackproof.{rest[0]}"


def wrong_imports(module: Module) -> Iterator[str]:
    part = part_of(module.name) or ""
    allowed = MAY_IMPORT.get(part, set()) | {part}
    for imported in module.imports():
        target = part_of(imported.target)
        if target is not None and target not in allowed:
            yield f"{module.relative}:{imported.line}: {part} may not import {target}"
        if imported.level:
            yield f"{module.relative}:{imported.line}: imports are absolute"


def misplaced_libraries(module: Module) -> Iterator[str]:
    part = part_of(module.name) or ""
    for imported in module.imports():
        library = imported.module.split(".")[0]
        if library in ONLY_IN and part not in ONLY_IN[library]:
            homes = ", ".join(sorted(ONLY_IN[library])) or "nowhere in the product"
            yield f"{module.relative}:{imported.line}: {library} is for {homes}"


def test_every_part_has_a_place_in_the_order() -> None:
    unknown = {part_of(module.name) for module in PRODUCT_MODULES} - set(MAY_IMPORT)

    assert not unknown, f"say in MAY_IMPORT what these may import: {unknown}"


def test_order_has_no_cycle() -> None:
    open_parts = dict(MAY_IMPORT)
    while ready := [part for part, needs in open_parts.items() if not needs & set(open_parts)]:
        for part in ready:
            del open_parts[part]

    assert not open_parts


@pytest.mark.parametrize("module", PRODUCT_MODULES, ids=lambda module: module.relative)
def test_imports_run_one_way(module: Module) -> None:
    assert list(wrong_imports(module)) == []


@pytest.mark.parametrize("module", PRODUCT_MODULES, ids=lambda module: module.relative)
def test_libraries_stay_in_their_place(module: Module) -> None:
    assert list(misplaced_libraries(module)) == []


@pytest.mark.parametrize("module", PRODUCT_MODULES, ids=lambda module: module.relative)
def test_only_the_command_line_prints(module: Module) -> None:
    printing = [f"{module.relative}:{line}" for name, line in module.names() if name == "print"]
    streams = [
        f"{module.relative}:{imported.line}"
        for imported in module.imports()
        if imported.target in {"sys.stdout", "sys.stderr"}
    ]

    assert part_of(module.name) == "rackproof.cli" or printing + streams == []


@pytest.mark.parametrize("module", PRODUCT_MODULES, ids=lambda module: module.relative)
def test_only_paths_knows_where_folders_are(module: Module) -> None:
    uses = [f"{module.relative}:{line}" for name, line in module.names() if name == "__file__"]

    assert module.name == "rackproof.paths" or uses == []


def test_only_the_bring_up_of_nodes_starts_ansible() -> None:
    users = {module.relative for module in PRODUCT_MODULES for one in module.imports() if one.module == RUNNER}

    assert users == {"rackproof/deploy/nodes/ansible.py"}


def test_the_check_sees_a_wrong_import(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module(PRODUCT_MODULES[0].path.parents[1] / "rackproof" / "site" / "load.py")
    text = "import pytest\nfrom rackproof import deploy\nfrom . import models\nfrom rackproof.plan.models import Plan\n"
    monkeypatch.setitem(module.__dict__, "text", text)

    assert list(wrong_imports(module)) == [
        "rackproof/site/load.py:2: rackproof.site may not import rackproof.deploy",
        "rackproof/site/load.py:3: imports are absolute",
        "rackproof/site/load.py:4: rackproof.site may not import rackproof.plan",
    ]
    assert list(misplaced_libraries(module)) == ["rackproof/site/load.py:1: pytest is for validation"]


def test_tables_name_real_libraries() -> None:
    assert not {library for library in ONLY_IN if library in PRODUCT}
    assert {"http", "socket", "ssl", "urllib"} <= set(sys.stdlib_module_names)
