"""Generated files in a folder they share with others: all of them are replaced, or none.

The folder's list of written files (``.rackproof-files``) says which files are ours; no other file is replaced or
removed. A folder in ``build/`` without a list is from an earlier release: what has our names there is ours.
"""

from __future__ import annotations

import fcntl
import filecmp
import os
import shutil
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rackproof import paths
from rackproof.errors import BadInputError
from rackproof.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

LIST: Final = ".rackproof-files"
"""In a folder with generated files: their names, one a line."""
HEAD: Final = "# Files that Rackproof wrote into this folder and may replace or remove."
NAMED_MAX: Final = 5
"""Files that a message names."""


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
    BadInputError, OSError
        See `replace_files`.
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
        with _locked(folder):
            return _take_over(folder, new, old)


def _take_over(folder: Path, new: Path, old: Path) -> bool:
    """Put what ``new`` holds into ``folder``, and what stood there into ``old``; return whether anything differs."""
    names = sorted(path.name for path in new.iterdir())
    written = {path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file()}
    listed = _listed(folder)
    present = set(_files(folder, names))
    ours = present if listed is None and folder.resolve().is_relative_to(paths.BUILD) else listed or set()
    _refuse_others(folder, [name for name in sorted(present - ours) if not _same_file(folder / name, new / name)])
    changed = not all(_same(folder / name, new / name) for name in names)
    kept = {name for name in listed or () if name.partition("/")[0] not in names}
    if changed:
        _write_list(folder, kept | written | (present & ours))  # as long as it is not sure which of them are there
        _swap(folder, new, old, names)
    if changed or listed != kept | written:
        _write_list(folder, kept | written)
    return changed


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time replace files of a folder, where the file system has locks."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _listed(folder: Path) -> set[str] | None:
    """Return the files that the folder's list names; None where there is no list."""
    try:
        lines = (folder / LIST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    return {line for line in lines if line and not line.startswith("#")}


def _write_list(folder: Path, names: Collection[str]) -> None:
    write_whole(folder / LIST, ["\n".join([HEAD, *sorted(names), ""]).encode()])


def _files(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield everything below the top ``names`` of a folder that is no folder itself; a link counts as a file."""
    for name in names:
        top = folder / name
        if top.is_symlink() or (top.exists() and not top.is_dir()):
            yield name
        elif top.is_dir():
            below = (Path(place, file) for place, folders, files in os.walk(top) for file in (*files, *folders))
            yield from (path.relative_to(folder).as_posix() for path in below if path.is_symlink() or not path.is_dir())


def _refuse_others(folder: Path, others: list[str]) -> None:
    """Refuse to replace files that Rackproof did not write.

    Raises
    ------
    BadInputError
        There are such files.
    """
    if others:
        more = f" and {len(others) - NAMED_MAX} more" if len(others) > NAMED_MAX else ""
        message = f"{folder} holds files that Rackproof did not write: {', '.join(others[:NAMED_MAX])}{more}"
        raise BadInputError(message, "they would be replaced or removed: move them away, or give another folder")


def _same_file(one: Path, other: Path) -> bool:
    """Return whether both are regular files with the same bytes."""
    files = all(path.is_file() and not path.is_symlink() for path in (one, other))
    return files and filecmp.cmp(one, other, shallow=False)


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
