"""The dossier as programs read it; its JSON Schema is published in docs/reference/dossier.schema.json."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from rackproof.report.content.findings import Findings
from rackproof.report.content.requirements import Requirement, answered
from rackproof.report.content.words import reasons
from rackproof.results import Expected, Run, Verdict

SCHEMA_VERSION: Final = 1


class Dossier(Struct, frozen=True):
    """The verdict of one validation with everything that it is based on."""

    schema_version: int
    run_id: str
    """The validation: when it began."""
    verdict: Verdict
    exit_status: int
    """Exit status of the validation: 0 passed or waived, 1 failed, 2 unknown."""
    reasons: tuple[str, ...]
    """The reasons why the run did not pass."""
    counts: Mapping[str, int]
    """State to number of results; ``missing`` counts required results that do not exist."""
    evidence: Mapping[str, int]
    """Kind of evidence to the number of results that rest on it."""
    missing: tuple[Expected, ...]
    requirements: tuple[Requirement, ...]
    """Those of NVIDIA's ai-cloud-validation, with what the run says of each."""
    lost_logs: tuple[str, ...]
    """Files that results refer to and that the run's folder does not have."""
    removed_secrets: int
    """How many were taken out of results and raw evidence."""
    run: Run


def build_dossier(findings: Findings, run_id: str, lost_logs: tuple[str, ...], removed_secrets: int) -> Dossier:
    """Return the dossier of a run."""
    counts: dict[str, int] = {str(state): number for state, number in findings.counts.items()}
    return Dossier(
        SCHEMA_VERSION,
        run_id,
        findings.verdict,
        findings.status,
        tuple(reasons(findings)),
        counts,
        {str(kind): number for kind, number in findings.evidence.items()},
        findings.missing,
        tuple(answered(findings)),
        lost_logs,
        removed_secrets,
        findings.run,
    )


def encoded(dossier: Dossier) -> bytes:
    """Return a dossier as JSON."""
    return msgspec.json.format(msgspec.json.encode(dossier), indent=1) + b"\n"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``dossier.json``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Dossier)}
