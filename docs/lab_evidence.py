"""Keep what each check rested on in runs of the lab, for the page about checks.

usage: python docs/lab_evidence.py <run.json> ...

A check is taken from the first run that judged it. The first is one of `lab/sites/storage`, whose hosts are machines;
runs of sites that have what it lacks follow: spines, an overlay, a soak.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs.checks_page import EVIDENCE
from rackproof.results import Result, Run, load_run, weakest

if TYPE_CHECKING:
    from collections.abc import Iterable


CANNOT: Final = "cannot tell: "


def check_evidence(runs: Iterable[Run]) -> dict[str, str]:
    """Return check to its evidence in the first run that judged it, or to why the lab cannot tell."""
    found: dict[str, str] = {}
    for run in runs:
        for check, results in _by_check(run).items():
            if found.get(check, CANNOT).startswith(CANNOT):
                words = _words(results)
                found[check] = found.get(check, words) if words.startswith(CANNOT) else words
    return dict(sorted(found.items()))


def _by_check(run: Run) -> dict[str, list[Result]]:
    by_check: dict[str, list[Result]] = {}
    for result in run.results:
        by_check.setdefault(result.check_id, []).append(result)
    return by_check


def _words(results: list[Result]) -> str:
    """Return the weakest evidence of what was judged; where nothing was, the first reason."""
    judged = [result.evidence for result in results if result.state != "skipped"]
    return weakest(judged) if judged else f"{CANNOT}{results[0].message}"


def main() -> int:
    """Write the file."""
    found = check_evidence(map(load_run, map(Path, sys.argv[1:])))
    EVIDENCE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{EVIDENCE.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
