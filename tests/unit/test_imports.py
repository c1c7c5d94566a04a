"""Imports run one way, and each power (connecting, printing, finding folders) has one home."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.source_tree import CHECKOUT, PRODUCT, Module, modules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

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
CONNECTED: Final = PLANNED | DERIVED | {"rackproof.connect"}
GATHERED: Final = CONNECTED | {"rackproof.gather"}

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
    "rackproof.connect": PLANNED | DERIVED,
    "rackproof.gather": CONNECTED,
    "rackproof.measure": GATHERED,
    "rackproof.deploy": GATHERED,
    "rackproof.cli": GATHERED | {"rackproof.deploy", "rackproof.measure", "rackproof.report", "lab"},
    "lab": PLANNED,
    "infra": GATHERED | {"rackproof.deploy"},
    "validation": GATHERED | {"rackproof.deploy", "rackproof.measure", "lab"},
}

# Where each library from outside the standard library is used: all of them, and no part that does without.
LIBRARIES: Final[dict[str, set[str]]] = {
    "ansible_runner": {"rackproof.deploy"},
    "asyncssh": {"lab", "rackproof.connect", "rackproof.gather", "rackproof.measure"},
    "cryptography": {"lab", "rackproof.cli", "rackproof.report"},
    "google": {"infra"},
    "grpc": {"infra"},
    "httpx": {"rackproof.connect"},
    "jinja2": {"rackproof.pages", "rackproof.render", "rackproof.report"},
    "markupsafe": {"rackproof.report"},
    "msgspec": {
        "rackproof.cli",
        "rackproof.facts",
        "rackproof.measure",
        "rackproof.plan",
        "rackproof.render",
        "rackproof.report",
        "rackproof.results",
        "validation",
    },
    "netmiko": {"rackproof.deploy"},
    "paramiko": {"rackproof.deploy"},
    "pulumi": {"infra"},
    "pydantic": {
        "infra",
        "lab",
        "rackproof.connect",
        "rackproof.hardware",
        "rackproof.releases",
        "rackproof.site",
        "rackproof.types",
    },
    "pydantic_core": {"rackproof.cli", "rackproof.site"},
    "pytest": {"validation"},
    "reportlab": {"rackproof.render", "rackproof.report"},
    "rich": {"rackproof.cli"},
    "ruamel": {"rackproof.connect", "rackproof.site", "validation"},
    "typer": {"rackproof.cli"},
    "typing_extensions": {"infra", "lab", "rackproof.deploy"},
    "xdist": {"validation"},
    "xlsxwriter": {"rackproof.render"},
    "yaml12": {
        "lab",
        "rackproof.cli",
        "rackproof.hardware",
        "rackproof.releases",
        "rackproof.render",
        "rackproof.report",
        "rackproof.site",
    },
}

# Modules of the standard library that open connections or start processes, and where; all others may be used anywhere.
POWERS: Final[dict[str, set[str]]] = {
    "ftplib": set(),
    "http": {"lab", "rackproof.connect"},
    "multiprocessing": {"rackproof.render"},
    "smtplib": set(),
    "socket": {"lab"},
    "ssl": {"lab", "rackproof.connect"},
    "subprocess": {"lab", "rackproof.cli", "rackproof.deploy", "rackproof.facts", "rackproof.measure"},
    "urllib": set(),
}
EVERYWHERE: Final = frozenset(sys.stdlib_module_names) - set(POWERS)

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
        if imported.level or library in PRODUCT or library in EVERYWHERE:
            continue
        homes = LIBRARIES.get(library) or POWERS.get(library) or set()
        if part not in homes:
            where = f"is for {', '.join(sorted(homes))}" if homes else "is in neither LIBRARIES nor POWERS"
            yield f"{module.relative}:{imported.line}: {library} {where}"


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


def imported_modules(sources: Collection[Module]) -> dict[str, set[str]]:
    """Every module with those of ``sources`` it imports anywhere: at the top, for types only, or in a function."""
    names = {module.name for module in sources}
    graph: dict[str, set[str]] = {}
    for module in sources:
        found = ({imported.target, imported.module} & names for imported in module.imports())
        graph[module.name] = {max(targets, key=len) for targets in found if targets} - {module.name}
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or over others."""
    reached = {module: reachable(graph, module) for module in graph}
    groups = {
        tuple(sorted(other for other in seen if module in reached.get(other, set())))
        for module, seen in reached.items()
        if module in seen
    }
    return [list(group) for group in sorted(groups)]


def reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    edge = set(graph.get(start, ()))
    while edge:
        seen |= edge
        edge = {target for module in edge for target in graph.get(module, ())} - seen
    return seen


def test_no_circle_of_imports() -> None:
    assert circles(imported_modules([*PRODUCT_MODULES, *modules("benchmarks")])) == []


def test_the_check_sees_a_circle_of_imports() -> None:
    graph = {
        "lab.a": {"lab.b"},
        "lab.b": {"lab.c"},
        "lab.c": {"lab.a"},
        "lab.d": {"lab.a", "lab.e"},
        "lab.e": set(),
        "lab.f": {"lab.g"},
        "lab.g": {"lab.f"},
    }

    assert circles(graph) == [["lab.a", "lab.b", "lab.c"], ["lab.f", "lab.g"]]


def test_the_check_sees_imports_for_types_and_in_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from rackproof.plan.model import plan\n"
        "def load():\n    from rackproof.plan.build import build\n    import json\n"
    )
    one, two = (Module(CHECKOUT / "rackproof" / "plan" / name) for name in ("build.py", "model/plan.py"))
    planted(one, "from rackproof.site.load import load\n", monkeypatch)
    planted(two, "", monkeypatch)
    module = planted(Module(CHECKOUT / "rackproof" / "site" / "load.py"), text, monkeypatch)

    graph = imported_modules([one, two, module])

    assert graph["rackproof.site.load"] == {"rackproof.plan.build", "rackproof.plan.model.plan"}
    assert circles(graph) == [["rackproof.plan.build", "rackproof.site.load"]]


def planted(module: Module, text: str, monkeypatch: pytest.MonkeyPatch) -> Module:
    monkeypatch.setitem(module.__dict__, "text", text)
    return module


def test_the_check_sees_a_wrong_import(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import pytest\nfrom rackproof import deploy\nfrom . import models\nfrom rackproof.plan.model import plan\n"
    module = planted(Module(CHECKOUT / "rackproof" / "site" / "load.py"), text, monkeypatch)

    assert list(wrong_imports(module)) == [
        "rackproof/site/load.py:2: rackproof.site may not import rackproof.deploy",
        "rackproof/site/load.py:3: imports are absolute",
        "rackproof/site/load.py:4: rackproof.site may not import rackproof.plan",
    ]
    assert list(misplaced_libraries(module)) == ["rackproof/site/load.py:1: pytest is for validation"]


def test_the_check_sees_a_library_that_no_table_names(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import httpx\nimport numpy as np\nimport ftplib\nimport json\n"
    module = planted(Module(CHECKOUT / "rackproof" / "plan" / "build.py"), text, monkeypatch)

    assert list(misplaced_libraries(module)) == [
        "rackproof/plan/build.py:1: httpx is for rackproof.connect",
        "rackproof/plan/build.py:2: numpy is in neither LIBRARIES nor POWERS",
        "rackproof/plan/build.py:3: ftplib is in neither LIBRARIES nor POWERS",
    ]


def test_tables_list_what_is_used_and_nothing_else() -> None:
    used: dict[str, set[str]] = {}
    for module in PRODUCT_MODULES:
        for imported in module.imports():
            used.setdefault(imported.module.split(".")[0], set()).add(part_of(module.name) or "")

    assert {library: used.get(library, set()) for library in LIBRARIES} == LIBRARIES
    assert {library: used.get(library, set()) for library in POWERS} == POWERS
    assert set(POWERS) <= set(sys.stdlib_module_names)
    assert set(MAY_IMPORT) == {part_of(module.name) for module in PRODUCT_MODULES}
