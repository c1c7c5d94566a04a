"""Which checks there are, read from the suites themselves; nothing else lists them."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, Final

import pytest

import validation.suites
from rackproof.results import Check

PREFIX: Final = "test_"


@cache
def all_checks() -> dict[str, Check]:
    """Return every check by its ID, suite by suite."""
    return {check.id: check for module in suite_modules() for check in _module_checks(module)}


@cache
def suite_titles() -> dict[str, str]:
    """Return category to the title of its suite."""
    return {_category(module.__name__): first_line(module) for module in suite_modules()}


def check_id(module: str, function: str) -> str:
    """Return the ID of a check: ``roce_hosts/pfc-is-on`` of ``test_pfc_is_on`` in ``test_roce_hosts``."""
    return f"{_category(module)}/{function.removeprefix(PREFIX).replace('_', '-')}"


def marks(function: FunctionType) -> list[pytest.Mark]:
    """Return the marks of a check, its module's among them."""
    own = getattr(function, "pytestmark", [])
    return [*own, *_as_list(getattr(inspect.getmodule(function), "pytestmark", []))]


def first_line(described: object) -> str:
    """Return the first line of a docstring, without its full stop."""
    return (inspect.getdoc(described) or "").partition("\n")[0].rstrip(".")


def suite_modules() -> Iterator[ModuleType]:
    """Yield the suites."""
    for found in pkgutil.iter_modules(validation.suites.__path__, f"{validation.suites.__name__}."):
        if found.name.rpartition(".")[2].startswith(PREFIX):
            yield importlib.import_module(found.name)


def _module_checks(module: ModuleType) -> Iterator[Check]:
    for name, function in vars(module).items():
        if isinstance(function, FunctionType) and name.startswith(PREFIX) and function.__module__ == module.__name__:
            yield _check(module, function)


def _check(module: ModuleType, function: FunctionType) -> Check:
    found = marks(function)
    return Check(
        id=check_id(module.__name__, function.__name__),
        title=first_line(function),
        requirements=tuple(str(one) for mark in found if mark.name == "requirements" for one in mark.args),
        disruptive=any(mark.name == "disruptive" for mark in found),
    )


def _category(module: str) -> str:
    return module.rpartition(".")[2].removeprefix(PREFIX)


def _as_list(found: Any) -> list[pytest.Mark]:  # noqa: ANN401 what a module sets is a mark or several
    several = found if isinstance(found, list) else [found]
    return [one.mark if isinstance(one, pytest.MarkDecorator) else one for one in several]
