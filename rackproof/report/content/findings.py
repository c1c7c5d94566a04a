"""A run sorted by check and by device, the worst results first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from rackproof.results import Check, Evidence, Expected, Result, Run, State, Verdict, exit_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Standing = State | Literal["missing"]
"""The state of a result, or `missing` where a required result does not exist."""

WORST_FIRST: Final[tuple[Standing, ...]] = ("failed", "error", "missing", "skipped", "waived", "passed")
TOLD: Final = frozenset({"passed", "failed", "waived"})
"""The states that say something about the site."""
_RANK: Final[Mapping[Standing, int]] = {state: rank for rank, state in enumerate(WORST_FIRST)}


@dataclass(frozen=True, slots=True)
class CheckFindings:
    """The results of one check, counted and sorted."""

    check: Check
    results: tuple[Result, ...]
    missing: tuple[Expected, ...]
    counts: Mapping[Standing, int]

    @property
    def title(self) -> str:
        """What the check proves, without the full stop; its ID where no title is known."""
        return (self.check.title or self.check.id).removesuffix(".")

    @property
    def worst(self) -> Standing:
        """The worst state of all; `missing` for a check without a subject."""
        return next((state for state in WORST_FIRST if state in self.counts), "missing")

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The kinds of evidence its results rest on; what was skipped or could not be told rests on none."""
        found = {result.evidence for result in self.results if result.state in TOLD}
        kinds: tuple[Evidence, ...] = ("real", "simulated", "recorded")
        return tuple(kind for kind in kinds if kind in found)


@dataclass(frozen=True, slots=True)
class Troubles:
    """The failures of one check."""

    found: CheckFindings
    results: tuple[Result, ...]
    """Failed results first, then errors."""


class Findings:
    """A run, sorted once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.missing = run.missing
        self.status = exit_status(run)
        self.verdict: Verdict = run.verdict

    @cached_property
    def checks(self) -> dict[str, CheckFindings]:
        """Every check that ran or had to, suite by suite in the order of the run."""
        known = {check.id: check for check in self.run.checks}
        results: dict[str, list[Result]] = {name: [] for name in known}
        missing: dict[str, list[Expected]] = {}
        for result in self.run.results:
            results.setdefault(result.check_id, []).append(result)
        for expected in self.missing:
            missing.setdefault(expected.check_id, []).append(expected)
        names = [*results, *(name for name in missing if name not in results)]
        suites = list(dict.fromkeys(map(_suite, names)))
        ordered = sorted(names, key=lambda name: suites.index(_suite(name)))
        return {
            name: _check(known.get(name, Check(name, "")), results.get(name, []), missing.get(name, []))
            for name in ordered
            if results.get(name) or missing.get(name)
        }

    @cached_property
    def suites(self) -> dict[str, tuple[CheckFindings, ...]]:
        """The checks of each suite."""
        suites: dict[str, list[CheckFindings]] = {}
        for found in self.checks.values():
            suites.setdefault(found.check.category, []).append(found)
        return {name: tuple(checks) for name, checks in suites.items()}

    @cached_property
    def counts(self) -> dict[Standing, int]:
        """How many results stand how, the worst first."""
        return added(found.counts for found in self.checks.values())

    @cached_property
    def evidence(self) -> dict[Evidence, int]:
        """How many results that say something rest on which evidence."""
        found = Counter(result.evidence for result in self.run.results if result.state in TOLD)
        return {"real": found["real"], "simulated": found["simulated"], "recorded": found["recorded"]}

    @cached_property
    def troubles(self) -> tuple[Troubles, ...]:
        """What failed or could not be told, check by check, those with failures first."""
        found = []
        for one in self.checks.values():
            results = [result for result in one.results if result.state in {"failed", "error"}]
            if results:
                found.append(Troubles(one, tuple(sorted(results, key=lambda result: _RANK[result.state]))))
        return tuple(sorted(found, key=lambda one: _RANK[one.found.worst]))

    def suite_title(self, suite: str) -> str:
        """Return what a suite is about, or its ID where no title is known."""
        return self.run.suites.get(suite) or suite

    def title(self, check_id: str) -> str:
        """Return what a check proves, or its ID where no title is known."""
        found = self.checks.get(check_id)
        return found.title if found else check_id

    @staticmethod
    def worst(states: Iterable[Standing]) -> Standing:
        """Return the worst of several states; of none: passed."""
        return min(states, key=_RANK.__getitem__, default="passed")


def added(counts: Iterable[Mapping[Standing, int]]) -> dict[Standing, int]:
    """Return the sum of counts, the worst state first, all of them named."""
    total: Counter[Standing] = Counter()
    for one in counts:
        total.update(one)
    return {state: total[state] for state in WORST_FIRST}


def _suite(check_id: str) -> str:
    return check_id.partition("/")[0]


def _check(check: Check, results: list[Result], missing: list[Expected]) -> CheckFindings:
    """Return the findings of a check."""
    counts: Counter[Standing] = Counter(result.state for result in results)
    if missing:
        counts["missing"] = len(missing)
    return CheckFindings(check, tuple(results), tuple(missing), dict(counts))
