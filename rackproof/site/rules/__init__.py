"""Rules between the parts of a site file: one function a rule, found by listing the modules of this package.

A rule is a public function of a module of this package, ``rule(site, catalogue) -> Iterator[SiteError]``; its
docstring states it in words. A module with ``PLAN_NEEDS = True`` holds rules without which nothing can be planned.
A name that is unknown is reported by one rule; every other rule passes over it.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from itertools import chain
from types import ModuleType

from rackproof.errors import Problems, SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.models import Site

Rule = Callable[[Site, Catalogue], Iterator[SiteError]]


def rule_modules() -> Iterator[ModuleType]:
    """Yield the modules of this package, one a theme, by name."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        yield importlib.import_module(f"{__name__}.{module.name}")


def module_rules(module: ModuleType) -> Iterator[Rule]:
    """Yield the rules of a module in the order they are written."""
    for name, function in vars(module).items():
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_"):
            yield function


def check_rules(site: Site, catalogue: Catalogue) -> Problems:
    """Return everything that is wrong with a site whose file was read, and what deserves a look."""
    problems = Problems()
    for module in rule_modules():
        for rule in module_rules(module):
            problems.extend(rule(site, catalogue))
    return problems


def can_be_planned(site: Site, catalogue: Catalogue) -> bool:
    """Return whether every rule holds that a plan cannot do without, whatever else is wrong."""
    needed = (module for module in rule_modules() if getattr(module, "PLAN_NEEDS", False))
    rules = chain.from_iterable(map(module_rules, needed))
    found = chain.from_iterable(rule(site, catalogue) for rule in rules)
    return all(error.warning for error in found)
