"""What a dossier is made of, brought together: a run, what it was held against, and the secrets that stay out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof import paths
from rackproof.connect.access import access_file, load_access
from rackproof.connect.credentials import resolve_credential
from rackproof.connect.errors import CredentialError
from rackproof.errors import BadInputError
from rackproof.plan.from_file import plan_site
from rackproof.render.folder import replace_folder
from rackproof.render.site import CONFIGURATIONS, site_pieces
from rackproof.report.build import Source, fill
from rackproof.report.finished_run import find_run
from rackproof.report.scrub import scrubber
from rackproof.results import load_run
from rackproof.site.load import find_site, load_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from rackproof.cli.output import Output
    from rackproof.report.bundle.manifest import Manifest
    from rackproof.results import Run

FOLDER: Final = "dossier"
SITE_FILE, PLAN = "site.yaml", "plan.json"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The dossier that was asked for."""

    site: str
    """Name, or path of a site file."""
    run: str
    access: Path | None
    key: Ed25519PrivateKey | None
    folder: Path | None
    """Where it goes; None: the build folder of the site."""


def write_dossier(wanted: Wanted, output: Output) -> tuple[Path, Manifest]:
    """Write a dossier in place of the last one, all of it or none; return its folder and manifest.

    Raises
    ------
    BadInputError
        There is no such site or run, or the site is no longer what was validated.
    """
    asked = find_site(wanted.site)
    name = wanted.site if asked == paths.site_file(wanted.site) else load_site(asked).site.site
    found = find_run(paths.validation_folder(name), wanted.run)
    access = access_file(name, wanted.access)
    places = (found.inputs, paths.lab_folder(name), asked.parent, access.parent)
    inputs = dict(_inputs(asked, places, load_run(found.results)))
    scrub = scrubber(secrets_of(access))
    folder = wanted.folder or paths.build_folder(name)
    written: list[Manifest] = []
    with output.progress(f"dossier of {found.id}"):
        replace_folder(folder, FOLDER, lambda new: written.append(fill(new, Source(found, inputs, scrub, wanted.key))))
    return folder / FOLDER, written[0]


def _inputs(asked: Path, places: Sequence[Path], run: Run) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield what a run was held against, by the name it has in the dossier.

    Parameters
    ----------
    asked
        The site file that the user named.
    places
        Folders in which such files stand: of the run, of a lab that was scaled down, of the site, of access.yaml.
    run
        The run, which knows the hash of each.
    """
    files = {name: validated(name, (folder / name for folder in places), run) for name in run.hashes if name != PLAN}
    site_file = files.get(SITE_FILE) or asked
    planned = plan_site(site_file)
    for name, file in sorted({**files, SITE_FILE: site_file}.items()):
        yield name, [file.read_bytes()]
    for name, pieces in site_pieces(planned.plan, planned.catalogue).items():
        if name == PLAN or name.startswith(f"{CONFIGURATIONS}/"):
            yield name, pieces


def validated(name: str, candidates: Iterable[Path], run: Run) -> Path:
    """Return the file that a run was held against.

    Raises
    ------
    BadInputError
        None of those there are is it any more.
    """
    there = [path for path in candidates if path.is_file()]
    for path in there:
        if hashlib.sha256(path.read_bytes()).hexdigest() == run.hashes[name]:
            return path
    hint = "a dossier is about what was validated: `rackproof validate <site>` again, or undo the change"
    did = f"{there[-1]} was changed" if there else f"{name} was taken away"
    raise BadInputError(f"{did} since the validation", hint)


def secrets_of(access: Path) -> Iterator[str]:
    """Yield the secrets with which devices are reached, as far as they can be resolved here."""
    if not access.is_file():
        return
    loaded = load_access(access).access
    references = {(entry.password, entry.private_key): (name, entry) for name, entry in loaded.devices.items()}
    for name, entry in references.values():
        try:
            credential = resolve_credential(name, entry, access.parent)
        except CredentialError:
            continue
        for secret in (credential.password, credential.private_key):
            if secret is not None:
                yield secret.get_secret_value()
