"""The judge: compares actual with expected values, and collects a result for each subject."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from rackproof.errors import RackproofError
from rackproof.results import Evidence, Result, State, Threshold, Waiver, weakest
from rackproof.site.waivers import WaiverEntry
from validation.verdict.baseline import Baseline


@dataclass(frozen=True, slots=True)
class Rules:
    """Waivers, baseline and device names, which apply to the results of all checks."""

    waivers: Sequence[WaiverEntry] = ()
    baseline: Baseline = field(default_factory=Baseline)
    devices: Collection[str] = ()
    """Names of all devices; the first word of a subject is the name of its device."""

    def waiver_for(self, check_id: str, subject: str) -> Waiver | None:
        """Return the waiver that counts today for a failure; None: there is none."""
        for entry in self.waivers:
            if entry.check == check_id and fnmatchcase(subject, entry.subject) and entry.until >= today():
                return Waiver(entry.check, entry.subject, entry.who, entry.why, entry.until.isoformat())
        return None

    def subject_device(self, subject: str, otherwise: str) -> str:
        """Return the device that a subject is about: its first word."""
        first = subject.partition(" ")[0].partition("/")[0].partition(":")[0]
        return first if first in self.devices else otherwise


class Judge:
    """Collects the results of one check on one device.

    Parameters
    ----------
    check_id, device
        The check, and the device whose test it is; empty: the site's.
    rules
        Waivers and baseline.
    """

    def __init__(self, check_id: str, device: str = "", rules: Rules | None = None) -> None:
        self.check_id = check_id
        self.device = device
        self.results: list[Result] = []
        self._rules = rules or Rules()
        self._evidence: list[Evidence] = []
        self._logs: dict[str, None] = {}

    def add_evidence(self, evidence: Evidence, *logs: str) -> None:
        """Add the kind of evidence of all later results, and the files of the run that hold it."""
        self._evidence.append(evidence)
        self._logs.update(dict.fromkeys(logs))

    def expect_equal(
        self,
        subject: str,
        *,
        expected: object,
        actual: object,
        remedy: str,
        unit: str = "",
        rail: int | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Add a result: passed where the actual value equals the expected one.

        Parameters
        ----------
        subject
            Device, port or pair: ``gpu-001:rail3``, ``leaf-01/Eth1/1``.
        expected, actual, unit
            The values, which `format_value` turns into text, and their unit.
        remedy
            What to do where they differ.
        rail
            Number of the rail, where it belongs to one.
        values
            What else was read, with units.
        """
        words = [f"{format_value(value)} {unit}".strip() for value in (expected, actual)]
        passed = expected == actual
        self._keep(subject, passed, *words, remedy=remedy, rail=rail, values=values or {})

    def expect(
        self,
        subject: str,
        ok: bool,  # noqa: FBT001 the outcome itself
        *,
        expected: str,
        actual: str,
        remedy: str,
        rail: int | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Add a result whose outcome the check has decided itself; see `expect_equal`."""
        self._keep(subject, ok, expected, actual, remedy=remedy, rail=rail, values=values or {})

    def expect_within(
        self,
        subject: str,
        measured: float,
        threshold: Threshold,
        *,
        remedy: str,
        rail: int | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Add a result: passed where the threshold, or the stricter baseline, allows the measured value."""
        sharper = self._rules.baseline.sharpened(self.check_id, subject, threshold)
        actual = f"{measured:g} {threshold.unit}".strip()
        self._keep(
            subject,
            sharper.allows(measured),
            str(sharper),
            actual,
            remedy=remedy,
            rail=rail,
            values=values or {},
            measured=measured,
            threshold=sharper,
        )

    def skip(self, subject: str, reason: str) -> None:
        """Add a skipped result with its reason; it never counts as passed."""
        self.results.append(self._result(subject, "skipped", message=reason))

    def error(self, subject: str, message: str, remedy: str = "") -> None:
        """Add an error: the actual value is not known."""
        self.results.append(self._result(subject, "error", message=message, remedy=remedy))

    def error_from(self, subject: str, error: RackproofError) -> None:
        """Add an error with the message and the hint of an exception."""
        self.error(subject, error.message, error.hint)

    @property
    def state(self) -> State:
        """The worst of all results."""
        states = {result.state for result in self.results}
        order: tuple[State, ...] = ("failed", "error", "waived", "passed", "skipped")
        return next((state for state in order if state in states), "error")

    def failure_text(self) -> str:
        """Return the failed, unknown and waived results, a line each."""
        return "\n".join(failure_line(one) for one in self.results if one.state in {"failed", "error", "waived"})

    def _keep(  # noqa: PLR0913 a result has many sides
        self,
        subject: str,
        passed: bool,  # noqa: FBT001 the outcome itself
        expected: str,
        actual: str,
        *,
        remedy: str,
        rail: int | None,
        values: Mapping[str, str],
        measured: float | None = None,
        threshold: Threshold | None = None,
    ) -> None:
        waiver = None if passed else self._rules.waiver_for(self.check_id, subject)
        state: State = "passed" if passed else "failed" if waiver is None else "waived"
        kept = self._result(subject, state, "" if passed else f"Expected {expected}. Actual {actual}.", remedy)
        self.results.append(
            msgspec.structs.replace(
                kept,
                expected=expected,
                actual=actual,
                rail=rail,
                values=dict(values),
                measured=measured,
                threshold=threshold,
                waiver=waiver,
            )
        )

    def _result(self, subject: str, state: State, message: str = "", remedy: str = "") -> Result:
        return Result(
            check_id=self.check_id,
            subject=subject,
            state=state,
            device=self._rules.subject_device(subject, self.device),
            evidence=weakest(self._evidence),
            message=message,
            remedy="" if state == "passed" else remedy,
            logs=tuple(self._logs),
        )


def failure_line(result: Result) -> str:
    """Return a result that did not pass, on one line."""
    hint = f" → {result.remedy}" if result.remedy else ""
    waived = f" Waived by {result.waiver.who} until {result.waiver.until}." if result.waiver else ""
    return f"{result.subject}: {result.message}{waived}{hint}"


def format_value(value: object) -> str:
    """Return a value as text for results: none, yes, no, lists with commas."""
    if value is None or (isinstance(value, list | tuple | set | frozenset | Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | set | frozenset):
        several = sorted(map(format_value, value)) if isinstance(value, set | frozenset) else map(format_value, value)
        return ", ".join(several)
    if isinstance(value, Mapping):
        return ", ".join(f"{format_value(key)}: {format_value(one)}" for key, one in value.items())
    return str(value)


@cache
def today() -> date:
    """Return the day on which waivers must be valid, UTC; the same for a whole run."""
    return datetime.now(UTC).date()
