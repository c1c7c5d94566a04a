"""The project's own modules as syntax trees, for the tests that hold the house in order."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("rackproof", "lab", "infra", "validation")
ALL_PYTHON: Final = (*PRODUCT, "tests", "benchmarks", "docs")


@dataclass(frozen=True)
class Import:
    """One imported name: ``module`` is what the statement names, ``name`` what it takes from there."""

    module: str
    name: str
    line: int
    level: int
    """Leading dots: 0 is absolute."""

    @property
    def target(self) -> str:
        """The longest dotted name that the statement could mean."""
        return f"{self.module}.{self.name}" if self.name else self.module


@dataclass(frozen=True)
class Module:
    """One file of the project."""

    path: Path

    @property
    def relative(self) -> str:
        return self.path.relative_to(CHECKOUT).as_posix()

    @property
    def name(self) -> str:
        """The dotted name; a package is named without ``__init__``."""
        parts = self.path.relative_to(CHECKOUT).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=self.relative)

    def imports(self) -> Iterator[Import]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (Import(alias.name, "", node.lineno, 0) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                yield from (Import(module, alias.name, node.lineno, node.level) for alias in node.names)

    def names(self) -> Iterator[tuple[str, int]]:
        """Every bare name that is read, with its line."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name):
                yield node.id, node.lineno

    def functions(self) -> Iterator[tuple[str, int, int]]:
        """Name, line and length in lines, its docstring left out, of every function."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                documentation = ast.get_docstring(node, clean=False)
                documented = 0 if documentation is None else documentation.count("\n") + 1
                yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1 - documented


def modules(*folders: str) -> list[Module]:
    """The Python files under top-level folders of the checkout, in order."""
    return [Module(path) for folder in folders for path in sorted((CHECKOUT / folder).rglob("*.py"))]
