"""Generated files in a folder they share with others: all of them are replaced, or none."""

from __future__ import annotations

import filecmp
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def replace_files(folder: Path, files: Mapping[str, Iterable[bytes]]) -> bool:
    """Write ``files`` (relative path to content, in pieces) into ``folder``, in place of what stands there.

    Everything under the same top-level names is removed, so that a stray file in one of the generated folders
    goes with it; everything else in ``folder`` is left alone. Returns whether anything differs from what stood there;
    where nothing does, nothing is touched.

    Raises
    ------
    OSError
        The files cannot be written; the folder is as it was.
    """
    return _replace(folder, lambda new: _write(new, files))


def replace_folder(folder: Path, name: str, fill: Callable[[Path], None]) -> bool:
    """Have ``fill`` write into an empty folder, which then takes the place of ``name`` in ``folder``.

    Returns whether anything differs from what stood there; where nothing does, nothing is touched.

    Raises
    ------
    OSError
        The files cannot be written; the folder is as it was.
    """

    def into_folder(new: Path) -> None:
        (new / name).mkdir()
        fill(new / name)

    return _replace(folder, into_folder)


def _replace(folder: Path, fill: Callable[[Path], None]) -> bool:
    """Put what ``fill`` writes into an empty folder in place of what ``folder`` has under the same top names.

    Everything is written to a folder beside it first. Then one top name after the other is moved into place; whatever
    stops that (an error, Ctrl-C) moves back what was moved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        new, old = Path(temporary, "new"), Path(temporary, "old")
        new.mkdir()
        old.mkdir()
        fill(new)
        names = sorted(path.name for path in new.iterdir())
        changed = not all(_same(folder / name, new / name) for name in names)
        if changed:
            _swap(folder, new, old, names)
    return changed


def _write(new: Path, files: Mapping[str, Iterable[bytes]]) -> None:
    """Write files into a folder."""
    for name, pieces in files.items():
        path = new / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(pieces)


def _same(one: Path, other: Path) -> bool:
    """Return whether two files, or all files in two folders, have the same names and bytes."""
    names = [{path.relative_to(top) for path in (top, *top.rglob("*")) if path.is_file()} for top in (one, other)]
    return names[0] == names[1] and all(filecmp.cmp(one / name, other / name, shallow=False) for name in names[0])


def _swap(folder: Path, new: Path, old: Path, names: Iterable[str]) -> None:
    """Move ``names`` from ``folder`` to ``old`` and from ``new`` to ``folder``; undo all of it when interrupted."""
    with ExitStack() as undo:
        for name in names:
            if (folder / name).exists():
                undo.callback(_put_back, old / name, folder / name)
                (folder / name).rename(old / name)
            else:
                undo.callback(_remove, folder / name)
            (new / name).rename(folder / name)
        undo.pop_all()


def _put_back(kept: Path, place: Path) -> None:
    """Return what was moved away to its place."""
    if kept.exists():
        _remove(place)
        kept.rename(place)


def _remove(path: Path) -> None:
    """Remove a file or a folder, where there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
