"""Which requirements of NVIDIA's ai-cloud-validation a run answers.

Checks name the IDs themselves (`@requirements`); the file beside this module says which there are.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec
import yaml12
from msgspec import Struct

from rackproof.paths import REQUIREMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rackproof.report.content.findings import Findings
    from rackproof.results import Check

Answer = Literal["passed", "waived", "skipped", "missing", "error", "failed", "no check"]
"""The worst state of the checks that answer a requirement; no check: no check of this run does."""


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the documents that requirements come from."""

    title: str
    in_scope: dict[str, str]
    """ID to title, in our words: what can be asked of a site that is handed over."""
    others: tuple[str, ...]
    """IDs that are out of scope for a site."""


class Catalogue(Struct, frozen=True, forbid_unknown_fields=True):
    """All requirements, as they stood in one commit."""

    repository: str
    commit: str
    documents: dict[str, Document]

    @property
    def ids(self) -> frozenset[str]:
        """Every ID that exists."""
        return frozenset(one for document in self.documents.values() for one in (*document.in_scope, *document.others))

    @property
    def titles(self) -> dict[str, tuple[str, str]]:
        """ID to document and title; of what is out of scope the title is empty."""
        rows = {one: (document.title, "") for document in self.documents.values() for one in document.others}
        for document in self.documents.values():
            rows |= {one: (document.title, title) for one, title in document.in_scope.items()}
        return rows


class Requirement(Struct, frozen=True):
    """A requirement and what the run says of it."""

    id: str
    document: str
    title: str
    """In our words; empty: out of scope, or unknown."""
    answer: Answer
    checks: tuple[str, ...]
    """The checks that say they answer it."""


UNKNOWN: Final = "unknown document"


@cache
def catalogue() -> Catalogue:
    """Return the requirements that exist."""
    return msgspec.convert(yaml12.parse_yaml(REQUIREMENTS.read_text(encoding="utf-8")), Catalogue)


def unknown(checks: Iterable[Check]) -> list[str]:
    """Return a line for each ID of a check that does not exist."""
    known = catalogue().ids
    named = [(check.id, one) for check in checks for one in check.requirements]
    return [f"{check}: there is no requirement {one}" for check, one in named if one not in known]


def answered(findings: Findings) -> Iterator[Requirement]:
    """Yield every requirement in scope, and every other that a check names, with what the run says of it."""
    known = catalogue()
    checks: dict[str, list[str]] = {}
    for scope in known.documents.values():
        checks |= {one: [] for one in scope.in_scope}
    for check in findings.run.checks:
        for one in check.requirements:
            checks.setdefault(one, []).append(check.id)
    for one, names in checks.items():
        document, title = known.titles.get(one, (UNKNOWN, ""))
        states = [findings.checks[name].worst for name in names if name in findings.checks]
        yield Requirement(one, document, title, findings.worst(states) if states else "no check", tuple(names))
