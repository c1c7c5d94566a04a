"""Cache of running configurations that were found to be as intended.

A switch whose running configuration is byte for byte the cached one is as intended, as long as the inputs of the intent
are unchanged: the site file, the catalogue, the templates and the code. Most comparisons find no difference; with the
cache they need neither plan nor rendering.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rackproof.errors import Place, SiteError
from rackproof.paths import ROOT, TEMPLATES, build_folder

FILE = "verified.json"
SITE_NAME = re.compile(r"^site:\s*([a-z0-9-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class VerifiedDevice:
    """A switch whose running configuration was as intended."""

    fabric: str
    nos: str
    running_sha256: str
    """Digest of its running configuration, as it printed it."""
    left_alone: Sequence[str] = ()
    """Topics of its lines that Rackproof leaves alone."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The switches of a site that were as intended, and the warnings about its site file."""

    site: str
    devices: Mapping[str, VerifiedDevice]
    complete: bool
    """Whether all switches of the site are among them."""
    warnings: tuple[SiteError, ...]


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def origin(site_file: Path) -> str:
    """Return a digest of every input of a site's intent."""
    found = hashlib.sha256(site_file.read_bytes())
    found.update(str(site_file.resolve()).encode())
    for folder in (ROOT / "rackproof", TEMPLATES):
        for entry in sorted(files_below(folder), key=lambda entry: entry.path):
            status = entry.stat()
            found.update(f"{entry.path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()


def files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files below a folder, without Python's compiled files."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from files_below(Path(entry.path))
            else:
                yield entry


def recall(site_file: Path) -> Verified | None:
    """Return the cache for a site file with its present inputs; None: there is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        name = SITE_NAME.search(site_file.read_text(encoding="utf-8"))
        if name is not None:
            held = json.loads(cache_file(name[1]).read_text(encoding="utf-8"))
            return verified_from(held) if held["origin"] == origin(site_file) else None
    return None


def remember(site_file: Path, verified: Verified) -> None:
    """Write the cache for a site file with its present inputs; a failed write only costs the next run time."""
    document = {"origin": origin(site_file), **asdict(verified)}
    path = cache_file(verified.site)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, default=str), encoding="utf-8")


def cache_file(site: str) -> Path:
    """Return the path of a site's cache."""
    return build_folder(site) / "deploy" / FILE


def verified_from(held: Mapping[str, Any]) -> Verified:
    """Return the cache from its JSON document."""
    devices = {name: VerifiedDevice(**device) for name, device in held["devices"].items()}
    return Verified(held["site"], devices, held["complete"], tuple(map(warning_from, held["warnings"])))


def warning_from(held: Mapping[str, Any]) -> SiteError:
    """Return a warning from its JSON object."""
    place = held["place"]
    where = None if place is None else Place(Path(place["file"]), place["line"], place["column"], place["text"])
    return SiteError(tuple(held["path"]), held["message"], held["hint"], where, held["warning"])
