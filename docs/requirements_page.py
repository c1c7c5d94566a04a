"""The page of the reference about requirements: which IDs of NVIDIA's ai-cloud-validation which checks answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.report.content.requirements import catalogue
from validation.runner.catalogue import all_checks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.report.content.requirements import Document

LEAD = """
# Requirements

NVIDIA's [ai-cloud-validation]({repository}) numbers what an AI cloud has to show. A check that answers one of these
names it (`@requirements("N-016")`), and the dossier says what came of it. The IDs are those of commit `{commit}`; the
titles are ours. What is about tenants, billing or a cloud's own API is left out: Rackproof hands over a site.
"""


def requirements_page() -> str:
    """Return the page."""
    known = catalogue()
    lead = LEAD.format(repository=known.repository, commit=known.commit[:12])
    return lead + "\n".join(line for one in known.documents.values() for line in _section(one)) + "\n"


def _section(document: Document) -> Iterator[str]:
    """Yield the requirements of one document, those in scope and others that a check names."""
    checks: dict[str, list[str]] = {one: [] for one in document.in_scope}
    for check in all_checks().values():
        for one in check.requirements:
            if one in document.in_scope or one in document.others:
                checks.setdefault(one, []).append(f"`{check.id}`")
    yield from ("", f"## {document.title}", "", "| ID | requirement | checks |", "|---|---|---|")
    for one, names in checks.items():
        yield f"| {one} | {document.in_scope.get(one, '')} | {', '.join(names) or 'none'} |"
