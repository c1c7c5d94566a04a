"""The inputs of a dossier: a validation run, the files it was compared with, and the secrets to remove."""

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
class DossierRequest:
    """The options of `rackproof report`."""

    site: str
    """Name, or path of a site file."""
    run: str
    access: Path | None
    key: Ed25519PrivateKey | None
    folder: Path | None
    """Folder to write to; None: the build folder of the site."""


def write_dossier(request: DossierRequest, output: Output) -> tuple[Path, Manifest]:
    """Write a dossier in place of the last one, completely or not at all; return its folder and manifest.

    Raises
    ------
    BadInputError
        There is no such site or run, or a file of the site changed since the validation.
    """
    asked = find_site(request.site)
    name = request.site if asked == paths.site_file(request.site) else load_site(asked).site.site
    found = find_run(paths.validation_folder(name), request.run)
    access = access_file(name, request.access)
    places = (found.inputs, paths.lab_folder(name), asked.parent, access.parent)
    inputs = dict(_inputs(asked, places, load_run(found.results)))
    scrub = scrubber(access_secrets(access))
    folder = request.folder or paths.build_folder(name)
    written: list[Manifest] = []
    with output.progress(f"writing the dossier of {found.id}"):
        replace_folder(folder, FOLDER, lambda new: written.append(fill(new, Source(found, inputs, scrub, request.key))))
    return folder / FOLDER, written[0]


def _inputs(asked: Path, places: Sequence[Path], run: Run) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield the files that a run was compared with, by their names in the dossier.

    Parameters
    ----------
    asked
        The site file that the user named.
    places
        Folders that may hold such files: of the run, of a scaled-down lab, of the site, of access.yaml.
    run
        The run, which has the hash of each file.
    """
    files = {
        name: validated_file(name, (folder / name for folder in places), run) for name in run.hashes if name != PLAN
    }
    site_file = files.get(SITE_FILE) or asked
    planned = plan_site(site_file)
    for name, file in sorted({**files, SITE_FILE: site_file}.items()):
        yield name, [file.read_bytes()]
    for name, pieces in site_pieces(planned.plan, planned.catalogue).items():
        if name == PLAN or name.startswith(f"{CONFIGURATIONS}/"):
            yield name, pieces


def validated_file(name: str, candidates: Iterable[Path], run: Run) -> Path:
    """Return the file whose content a run was compared with.

    Raises
    ------
    BadInputError
        No candidate has the content that was validated.
    """
    there = [path for path in candidates if path.is_file()]
    for path in there:
        if hashlib.sha256(path.read_bytes()).hexdigest() == run.hashes[name]:
            return path
    hint = "a dossier contains what was validated: run `rackproof validate <site>` again, or undo the change"
    did = f"{there[-1]} was changed" if there else f"{name} was removed"
    raise BadInputError(f"{did} since the validation", hint)


def access_secrets(access: Path) -> Iterator[str]:
    """Yield the passwords and private keys of access.yaml that can be resolved on this machine."""
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
