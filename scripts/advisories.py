"""Compares the lock files with the published security advisories of https://osv.dev.

usage: python scripts/advisories.py [--strict] [--address URL]

Exit status 1 when a locked version has an advisory that scripts/accepted-advisories.toml does not accept. Without a
connection nothing was compared: the output says so, and the exit status is 0, or 3 with --strict. The names and
versions of the lock files are sent to the address, nothing else.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

import httpx

from rackproof.paths import ROOT
from scripts.locked import Locked, locked_packages

if TYPE_CHECKING:
    from collections.abc import Sequence

ADDRESS: Final = "https://api.osv.dev/v1/querybatch"
"""Batch query of OSV (google.github.io/osv.dev/post-v1-querybatch): at most 1,000 packages, answers in their order."""
TIMEOUT_S: Final = 30.0
ACCEPTED: Final = ROOT / "scripts" / "accepted-advisories.toml"
FOUND, COULD_NOT_CHECK = 1, 3


@dataclass(frozen=True, slots=True)
class Finding:
    """An advisory about a locked version."""

    package: Locked
    advisory: str


def findings(packages: Sequence[Locked], address: str) -> list[Finding]:
    """Return the advisories about packages.

    Raises
    ------
    httpx.HTTPError
        The service cannot be reached, or refuses the query.
    ValueError
        The answer is not one of OSV.
    """
    queries = [{"package": {"name": one.name, "ecosystem": "PyPI"}, "version": one.version} for one in packages]
    answer = httpx.post(address, json={"queries": queries}, timeout=TIMEOUT_S)
    answer.raise_for_status()
    document: Any = answer.json()
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, list) or len(results) != len(packages):
        raise ValueError("the answer does not have one result for each package")
    return [
        Finding(package, known["id"])
        for package, result in zip(packages, results, strict=True)
        for known in result.get("vulns", ())
    ]


def accepted(today: date) -> dict[str, str]:
    """Return the accepted advisories whose date has not passed, with the reason."""
    if not ACCEPTED.exists():
        return {}
    entries = tomllib.loads(ACCEPTED.read_text(encoding="utf-8")).get("accepted", [])
    return {entry["id"]: entry["reason"] for entry in entries if entry["until"] >= today}


def report(found: Sequence[Finding], reasons: dict[str, str], count: int) -> int:
    """Print the findings and return the exit status."""
    for one in found:
        reason = reasons.get(one.advisory)
        verdict = f"accepted: {reason}" if reason else f"https://osv.dev/vulnerability/{one.advisory}"
        print(f"{one.package.file}: {one.package.name} {one.package.version}: {one.advisory}: {verdict}")
    open_count = sum(one.advisory not in reasons for one in found)
    print(f"{count} locked packages compared: {open_count} advisories, {len(found) - open_count} accepted")
    return FOUND if open_count else 0


def main() -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description="Compare the lock files with published security advisories.")
    parser.add_argument("--strict", action="store_true", help="exit status 3 when nothing could be compared")
    parser.add_argument("--address", default=ADDRESS, help="address of the batch query of OSV, or of a mirror")
    options = parser.parse_args()
    packages = locked_packages()
    try:
        found = findings(packages, options.address)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError, KeyError, TypeError) as error:
        print(f"could not check {len(packages)} locked packages for advisories: {options.address}: {error}")
        return COULD_NOT_CHECK if options.strict else 0
    return report(found, accepted(datetime.now(UTC).date()), len(packages))


if __name__ == "__main__":
    sys.exit(main())
