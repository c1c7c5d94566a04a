"""Writes a dossier into a folder: inputs and evidence, then the documents, the manifest, its signature, the bundle."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from rackproof.errors import BadInputError
from rackproof.paths import RUN_INPUTS
from rackproof.report.bundle.archive import file_names, write_bundle
from rackproof.report.bundle.manifest import (
    MANIFEST,
    SCHEMA_VERSION,
    SIGNATURE,
    Digest,
    Manifest,
    file_digest,
    key_fingerprint,
)
from rackproof.report.bundle.manifest import encoded as encoded_manifest
from rackproof.report.bundle.signature import ssh_signature
from rackproof.report.content.dossier import build_dossier, encoded, json_schema
from rackproof.report.content.findings import Findings
from rackproof.report.formats.junit import junit
from rackproof.report.formats.markdown import markdown
from rackproof.report.formats.page import EVIDENCE_FOLDER, Beside, page
from rackproof.report.formats.pdf import pdf
from rackproof.report.scrub_json import without_secrets
from rackproof.results import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from rackproof.report.content.dossier import Dossier
    from rackproof.report.finished_run import RunFolder
    from rackproof.report.scrub import Scrubber

JSON: Final = ".json"
PAGE: Final = "dossier.html"
DOCUMENT: Final = "dossier.json"


@dataclass(frozen=True, slots=True)
class Source:
    """The inputs of a dossier."""

    run: RunFolder
    inputs: Mapping[str, Iterable[bytes]]
    """The inputs of the run by file name: site file, plan, configurations, waivers; each in chunks."""
    scrub: Scrubber
    key: Ed25519PrivateKey | None = None
    """The key that signs the dossier; None: the dossier is not signed."""


@dataclass(slots=True)
class Writer:
    """The folder in which a dossier is written, and the number of secrets removed from each file."""

    folder: Path
    removed: dict[str, int] = field(default_factory=dict)
    digests: dict[str, Digest] = field(default_factory=dict)

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file of the dossier."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(pieces)
        self.digests[name] = file_digest(path)


def fill(folder: Path, source: Source) -> Manifest:
    """Write a dossier into an empty folder.

    Raises
    ------
    BadInputError
        The results cannot be read, an input is not what the run was held against, or it holds a secret.
    OSError
        Something cannot be read or written.
    """
    writer = Writer(folder)
    run = _run(writer, source)
    for name, pieces in source.inputs.items():
        writer.write(f"{RUN_INPUTS}/{name}", _refused_with_secrets(name, pieces, source.scrub))
    _hold_to_run(run, writer.digests)
    for name, path in source.run.evidence():
        text, removed = scrubbed(name, path.read_bytes(), source.scrub)
        writer.write(f"{EVIDENCE_FOLDER}/{name}", [text])
        if removed:
            writer.removed[f"{EVIDENCE_FOLDER}/{name}"] = removed
    dossier = _documents(writer, Findings(run), source)
    return _signed(writer, dossier, source.key)


def _run(writer: Writer, source: Source) -> Run:
    """Return the results without secrets."""
    try:
        text = source.run.results.read_bytes()
    except OSError as error:
        raise BadInputError(f"{source.run.results} cannot be read: {error.strerror}") from error
    text, removed = without_secrets(text, source.scrub, numbers=False)
    if removed:
        writer.removed[DOCUMENT] = removed
    try:
        return msgspec.json.decode(text, type=Run)
    except msgspec.MsgspecError as error:
        raise BadInputError(f"{source.run.results} is not the result of a validation: {error}") from error


def scrubbed(name: str, text: bytes, scrub: Scrubber) -> tuple[bytes, int]:
    """Return a file of evidence without secrets, and how many were in it; JSON stays JSON."""
    return without_secrets(text, scrub) if name.endswith(JSON) else scrub(text)


def _refused_with_secrets(name: str, pieces: Iterable[bytes], scrub: Scrubber) -> Iterable[bytes]:
    """Yield the inputs of the run unchanged; they must not contain a secret."""
    for piece in pieces:
        if any(secret in piece for secret in scrub.known):
            hint = "take it out, change the secret, and validate again; access.yaml refers to secrets and holds none"
            raise BadInputError(f"{name} holds a secret with which a device is reached", hint)
        yield piece


def _hold_to_run(run: Run, digests: Mapping[str, Digest]) -> None:
    """Verify that the inputs have the hashes that the run recorded."""
    changed = [
        name
        for name, expected in run.hashes.items()
        if (found := digests.get(f"{RUN_INPUTS}/{name}")) is not None and found.sha256 != expected
    ]
    if changed:
        hint = "`rackproof validate <site>` again, or undo the change; another version of Rackproof is a change too"
        raise BadInputError(f"changed since the validation: {', '.join(changed)}", hint)


def _documents(writer: Writer, findings: Findings, source: Source) -> Dossier:
    """Write what people and programs read, the page last: it names the others with their hashes."""
    named = {name for result in findings.run.results for name in result.logs}
    lost = tuple(sorted(name for name in named if f"{EVIDENCE_FOLDER}/{name}" not in writer.digests))
    dossier = build_dossier(findings, source.run.id, lost, sum(writer.removed.values()))
    writer.write(DOCUMENT, [encoded(dossier)])
    writer.write("dossier.schema.json", [json.dumps(json_schema(), indent=2).encode() + b"\n"])
    writer.write("dossier.md", [markdown(dossier, findings)])
    writer.write("dossier.pdf", [pdf(dossier, findings, key_fingerprint(source.key))])
    writer.write("junit.xml", [junit(dossier, findings)])
    beside = Beside(dict(sorted(writer.digests.items())), key_fingerprint(source.key))
    writer.write(PAGE, [page(dossier, findings, beside)])
    return dossier


def _signed(writer: Writer, dossier: Dossier, key: Ed25519PrivateKey | None) -> Manifest:
    """Write manifest, signature and bundle."""
    run = dossier.run
    manifest = Manifest(
        SCHEMA_VERSION,
        run.site,
        dossier.run_id,
        dossier.verdict,
        dossier.exit_status,
        run.ended,
        run.rackproof,
        key_fingerprint(key),
        dict(sorted(writer.removed.items())),
        {name: writer.digests[name] for name in sorted(file_names(writer.folder))},
    )
    text = encoded_manifest(manifest)
    (writer.folder / MANIFEST).write_bytes(text)
    if key is not None:
        (writer.folder / SIGNATURE).write_bytes(ssh_signature(text, key))
    write_bundle(writer.folder, f"{run.site}-{dossier.run_id}")
    return manifest
