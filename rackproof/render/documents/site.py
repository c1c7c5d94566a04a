"""Every document of a site, in one folder: the same plan gives the same bytes."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final

import rackproof.render.documents
from rackproof.render.documents.record import File, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.models import Plan

    Maker = Callable[[Record], Iterator[File]]

FOLDER: Final = "documents"
"""Folder of the documents, beside what else is generated for a site."""


def makers() -> dict[str, Maker]:
    """Return what makes documents: the function ``files`` of every module of this package that has one."""
    package = rackproof.render.documents
    modules = {
        found.name: importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
        if found.name != "site"
    }
    return {name: module.files for name, module in modules.items() if hasattr(module, "files")}


def site_documents(plan: Plan, catalogue: Catalogue) -> Iterator[File]:
    """Yield every document of a site, one after the other: a large site's do not fit into memory together."""
    record = Record(plan, catalogue)
    for make in makers().values():
        yield from make(record)
