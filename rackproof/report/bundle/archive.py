"""The dossier as one file: a zip whose bytes follow from its content alone, and how one is read."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Protocol

from rackproof.errors import BadInputError
from rackproof.report.bundle.manifest import BUNDLE, MANIFEST, PIECE, Digest, file_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
"""The timestamp of all files: the earliest that a zip can hold."""
READABLE: Final = 0o100644 << 16
"""Mode of a regular file that all users may read."""
LEVEL: Final = 6


def write_bundle(folder: Path, top: str) -> None:
    """Pack all files of a folder, under a folder ``top``, into one beside them."""
    names = sorted(file_names(folder))
    with zipfile.ZipFile(folder / BUNDLE, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as bundle:
        for name in names:
            entry = zipfile.ZipInfo(f"{top}/{name}", EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = READABLE
            entry.file_size = (folder / name).stat().st_size
            with (folder / name).open("rb") as source, bundle.open(entry, "w") as target:
                while piece := source.read(PIECE):
                    target.write(piece)


def file_names(folder: Path) -> list[str]:
    """Return every file of a dossier in a folder; the bundle beside them is not one of them."""
    found = (path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    names = (str(PurePosixPath(*path.relative_to(folder).parts)) for path in found)
    return [name for name in names if name != BUNDLE]


class Files(Protocol):
    """A dossier to be verified."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every file that is there; one that is there twice stands twice."""

    def read(self, name: str, most: int) -> bytes | None:
        """Return the first bytes of a file; None where they cannot be read."""

    def digest(self, name: str, expected: Digest) -> Digest | None:
        """Return what a file is, read no further than one byte past what is expected."""


class FolderFiles:
    """A dossier in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.names = tuple(sorted(file_names(folder)))

    def read(self, name: str, most: int) -> bytes | None:
        """Return the first bytes of a file."""
        path = self._folder / name
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(most)

    def digest(self, name: str, expected: Digest) -> Digest | None:
        """Return what a file is."""
        path = self._folder / name
        if path.is_symlink() or not path.is_file():
            return None
        return file_digest(path) if path.stat().st_size == expected.bytes else Digest("", path.stat().st_size)


class ZipFiles:
    """A dossier in a bundle."""

    def __init__(self, bundle: zipfile.ZipFile) -> None:
        self._bundle = bundle
        entries = [entry for entry in bundle.infolist() if not entry.is_dir()]
        places = (entry.filename.rpartition("/") for entry in entries)
        tops = sorted({f"{folder}/" for folder, _, name in places if name == MANIFEST and "/" not in folder})
        self._top = tops[0] if tops and MANIFEST not in bundle.namelist() else ""
        self.names = tuple(entry.filename.removeprefix(self._top) for entry in entries)

    def read(self, name: str, most: int) -> bytes | None:
        """Return the first bytes of a file."""
        try:
            with self._bundle.open(self._top + name) as file:
                return file.read(most)
        except (KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
            return None

    def digest(self, name: str, expected: Digest) -> Digest | None:
        """Return what a file is; one that would unpack to more than it may is not unpacked further."""
        found, size = hashlib.sha256(), 0
        try:
            with self._bundle.open(self._top + name) as file:
                while size <= expected.bytes and (piece := file.read(min(PIECE, expected.bytes + 1 - size) or 1)):
                    found.update(piece)
                    size += len(piece)
        except (KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
            return None
        return Digest(found.hexdigest(), size)


def open_bundle(path: Path) -> Files:
    """Open the dossier at a path: a bundle, or the folder of an unpacked one.

    Raises
    ------
    BadInputError
        It is neither.
    """
    if path.is_dir():
        return FolderFiles(path)
    try:
        return ZipFiles(zipfile.ZipFile(path))
    except OSError as error:
        raise BadInputError(
            f"{path} cannot be read: {error.strerror}", "`rackproof report <site>` writes it"
        ) from error
    except zipfile.BadZipFile as error:
        raise BadInputError(f"{path} is not a bundle: {error}", "was the copy complete?") from error


def unlisted(names: tuple[str, ...], listed: Mapping[str, Digest], own: frozenset[str]) -> list[str]:
    """Return the files that the manifest does not list, and those that occur more than once."""
    seen: set[str] = set()
    found = []
    for name in names:
        if name in seen or (name not in listed and name not in own):
            found.append(name)
        seen.add(name)
    return found
