"""Every document of a site, in one folder: the same plan gives the same bytes."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pkgutil
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import rackproof.render.documents
from rackproof.render.documents.record import File, Record
from rackproof.render.folder import replace_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan

    Maker = Callable[[Record], Iterator[File]]

FOLDER: Final = "documents"
"""Folder of the documents, beside what else is generated for a site."""
LARGE: Final = 20_000
"""Links of a site from which on documents are made side by side, a process a processor."""
LONGEST_FIRST: Final = ("cable_schedule", "labels", "front_panels", "site_tables")
"""What takes longest is begun first, so that no processor waits for another at the end."""


@dataclass(frozen=True, slots=True)
class RenderedDocuments:
    """What was made of a site."""

    folder: Path
    files: tuple[Path, ...]
    """Every document, sorted."""
    changed: bool
    """Whether anything differs from what stood there before."""


def makers() -> dict[str, Maker]:
    """Return what makes documents: the function ``files`` of every module of this package that has one."""
    package = rackproof.render.documents
    names = [found.name for found in pkgutil.iter_modules(package.__path__) if found.name != "site"]
    names.sort(key=lambda name: LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST))
    modules = {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
    return {name: module.files for name, module in modules.items() if hasattr(module, "files")}


def site_documents(plan: Plan, catalogue: Catalogue) -> Iterator[File]:
    """Yield every document of a site, one after the other: a large site's do not fit into memory together."""
    record = Record(plan, catalogue)
    for make in makers().values():
        yield from make(record)


def render_documents(plan: Plan, catalogue: Catalogue, folder: Path) -> RenderedDocuments:
    """Write every document of a site into ``folder``/documents, all of them or none.

    Raises
    ------
    OSError
        The files cannot be written; the folder is as it was.
    """
    changed = replace_folder(folder, FOLDER, lambda new: _fill(Record(plan, catalogue), new))
    place = folder / FOLDER
    return RenderedDocuments(place, tuple(sorted(path for path in place.rglob("*") if path.is_file())), changed)


def _fill(record: Record, folder: Path) -> None:
    """Write the documents; those of a large site in processes that share the plan as it lies in memory."""
    if len(record.plan.links) < LARGE or "fork" not in multiprocessing.get_all_start_methods():
        for name in makers():
            _write(name, record, folder)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), context, initializer=_remember, initargs=(record, folder)) as pool:
        for done in [pool.submit(_write_remembered, name) for name in makers()]:
            done.result()


def _write(name: str, record: Record, folder: Path) -> None:
    """Write the documents of one module."""
    for file in makers()[name](record):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


_remembered: dict[str, tuple[Record, Path]] = {}
"""What a process of the pool works on; handed over once, when it begins."""


def _remember(record: Record, folder: Path) -> None:
    _remembered["work"] = (record, folder)


def _write_remembered(name: str) -> None:
    _write(name, *_remembered["work"])
