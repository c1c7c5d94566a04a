"""Reads the lock files: which package in which version, with which hashes, and who requires it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCOPES: Final = {
    "requirements.txt": "required",
    "requirements-collections.txt": "required",
    "requirements-pulumi.txt": "optional",
    "requirements-dev.txt": "excluded",
    "requirements-yang.txt": "excluded",
}
"""Lock file to the scope of its packages in CycloneDX: needed to run, for Pulumi only, for tests only."""
_PIN: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+?))?\s*\\?$")
_HASH: Final = re.compile(r"--hash=sha256:(?P<hash>[0-9a-f]{64})")
_REQUESTED: Final = re.compile(r"#\s+(?:via\s+)?-r ")
_VIA: Final = re.compile(r"#\s+(?:via\s+)?(?P<name>[A-Za-z0-9._-]+)$")


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of a lock file."""

    name: str
    version: str
    file: str
    marker: str
    """Environment for which the version holds; empty: any."""
    hashes: tuple[str, ...]
    """SHA-256 of each distribution that may be installed."""
    required_by: tuple[str, ...]
    requested: bool
    """Whether the file's source names it, beside other packages that may require it."""

    @property
    def purl(self) -> str:
        """The package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def locked_packages(files: Iterable[str] = tuple(SCOPES)) -> list[Locked]:
    """Return the packages of lock files, each version once: from the first file that has it."""
    found: dict[str, Locked] = {}
    for file in files:
        for one in parse(file, (ROOT / file).read_text(encoding="utf-8")):
            found.setdefault(one.purl, one)
    return list(found.values())


def parse(file: str, text: str) -> Iterator[Locked]:
    """Yield the packages in the text of a lock file as uv writes it.

    Raises
    ------
    ValueError
        A package has no hash, or the text has none: it is no lock file.
    """
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if _PIN.match(line):
            blocks.append([])
        if blocks:
            blocks[-1].append(line.strip())
    if not blocks:
        raise ValueError(f"{file} names no package")
    for block in blocks:
        yield _package(file, block)


def _package(file: str, lines: list[str]) -> Locked:
    pin = _PIN.match(lines[0])
    hashes = tuple(found["hash"] for line in lines if (found := _HASH.search(line)))
    if pin is None or not hashes:
        raise ValueError(f"{file}: {lines[0]} has no hash")
    via = tuple(found["name"] for line in lines if (found := _VIA.match(line)) and found["name"] != "via")
    requested = any(_REQUESTED.match(line) for line in lines)
    return Locked(pin["name"].lower(), pin["version"], file, pin["marker"] or "", hashes, via, requested)
