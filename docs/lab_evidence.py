"""Keep what each check rested on in a run of the lab, for the page about checks.

usage: python docs/lab_evidence.py <run.json>

The run is one of `lab/sites/storage`, whose hosts are machines: `tests/validation/lab` holds the file against one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from docs.checks_page import EVIDENCE
from rackproof.results import Result, Run, load_run, weakest


def evidence_of(run: Run) -> dict[str, str]:
    """Return check to its evidence in a run, or to why the lab cannot tell."""
    by_check: dict[str, list[Result]] = {}
    for result in run.results:
        by_check.setdefault(result.check_id, []).append(result)
    return {check: _words(results) for check, results in sorted(by_check.items())}


def _words(results: list[Result]) -> str:
    """Return the weakest evidence of what was judged; where nothing was, the first reason."""
    judged = [result.evidence for result in results if result.state != "skipped"]
    return weakest(judged) if judged else f"cannot tell: {results[0].message}"


def main() -> int:
    """Write the file."""
    found = evidence_of(load_run(Path(sys.argv[1])))
    EVIDENCE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{EVIDENCE.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
