"""Results of a validation: one for each subject of a check, and the run that holds them.

Written by the validation suites, read by the dossier and by programs: the JSON that `encoded` writes follows the
schema that `json_schema` gives, and keeps its meaning while `SCHEMA_VERSION` stays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field

from rackproof.errors import BadInputError

SCHEMA_VERSION: Final = 1

State = Literal["passed", "failed", "error", "skipped", "waived"]
"""failed: the site differs from the plan; error: the actual value is not known; skipped: not run, with a reason."""
Evidence = Literal["real", "simulated", "recorded"]
"""real: read or measured on the device; simulated: computed by a lab; recorded: read from a recording."""
Verdict = Literal["passed", "rehearsal passed", "failed", "incomplete"]
Comparison = Literal["at least", "at most", "equal to"]

WEAKEST_FIRST: Final[tuple[Evidence, ...]] = ("recorded", "simulated", "real")


class Threshold(Struct, frozen=True, omit_defaults=True):
    """The limit of a measured value."""

    value: float
    unit: str
    comparison: Comparison
    source: str
    """Where the figure was read; a person can look it up."""
    formula: str = ""
    """How it follows from what the source says; empty: it is that figure."""
    ceiling: float | None = None
    """What physics allows at best, in the same unit."""
    ceiling_source: str = ""
    calibrated: bool = False
    """Whether it is what this site's baseline allows, because that is stricter than what the source says."""

    def allows(self, measured: float) -> bool:
        """Return whether a measured value, in the threshold's unit, is within the limit."""
        if self.comparison == "at least":
            return measured >= self.value
        return measured <= self.value if self.comparison == "at most" else measured == self.value

    def __str__(self) -> str:
        return f"{self.comparison} {self.value:g} {self.unit}".strip()


class Waiver(Struct, frozen=True):
    """A failure that a person accepts until a date."""

    check: str
    subject: str
    """Pattern of subjects, as in file names: ``gpu-001:rail*``."""
    who: str
    why: str
    until: str
    """Last day, YYYY-MM-DD."""


class Result(Struct, frozen=True, omit_defaults=True):
    """The result of one check on one subject."""

    check_id: str
    """Category and name: ``roce/pfc-on-the-lossless-priority``."""
    subject: str
    """Device, port or pair: ``gpu-001``, ``gpu-001:rail3``, ``leaf-01/Eth1/1``, ``gpu-001:rail3 > gpu-002:rail3``."""
    state: State
    device: str = ""
    """The device it is about; of a pair the first one. Empty: the site."""
    rail: int | None = None
    expected: str = ""
    actual: str = ""
    measured: float | None = None
    """The actual value as a number, in the threshold's unit."""
    threshold: Threshold | None = None
    evidence: Evidence = "real"
    message: str = ""
    """What differs, why the value is not known, or why the check was skipped."""
    remedy: str = ""
    """What to do about it."""
    values: Mapping[str, str] = field(default_factory=dict)
    """What else was read meanwhile, such as counters, with their units."""
    logs: tuple[str, ...] = ()
    """Files of the run that show it."""
    duration_s: float = 0.0
    waiver: Waiver | None = None


class Check(Struct, frozen=True, omit_defaults=True):
    """A check as it stands in the suites."""

    id: str
    title: str
    """What it proves, in a sentence."""
    requirements: tuple[str, ...] = ()
    """Requirement IDs of NVIDIA's ai-cloud-validation that it answers."""
    disruptive: bool = False

    @property
    def category(self) -> str:
        """The suite it belongs to."""
        return self.id.partition("/")[0]


class Expected(Struct, frozen=True):
    """A check that must have a result for a device; an empty device: for the site."""

    check_id: str
    device: str


class Device(Struct, frozen=True, omit_defaults=True):
    """A device as it was found."""

    name: str
    kind: Literal["server", "switch", "storage"]
    model: str
    serial: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Software and firmware: name to version."""


class Calibration(Struct, frozen=True):
    """The baseline that measured values were held against besides their thresholds."""

    file: str
    """Its name among what the run was held against."""
    run: str
    """The run that measured it, when the site was known to be good: its start, UTC."""
    values: int
    """How many values it has."""


class Run(Struct, frozen=True):
    """All results of one validation, with its inputs."""

    schema_version: int
    site: str
    release: str
    started: str
    """UTC, ISO 8601."""
    ended: str
    rackproof: str
    """Version of Rackproof, with its commit."""
    rehearsal: bool
    """Whether it ran against a lab."""
    selected: bool
    """Whether a person chose some of the checks: such a run proves no site."""
    hashes: Mapping[str, str]
    """Inputs of the validation, such as ``site.yaml``, ``plan.json``, ``waivers.yaml``: SHA-256 in hex."""
    assumptions: tuple[str, ...]
    """Assumptions of the site file."""
    not_proven: tuple[str, ...]
    """What a lab cannot prove; empty on a real site."""
    checks: tuple[Check, ...]
    expected: tuple[Expected, ...]
    results: tuple[Result, ...]
    devices: tuple[Device, ...]
    commands: Mapping[str, tuple[str, ...]]
    """Kind of device to the commands that were run there, word for word."""
    interrupted: bool = False
    suites: Mapping[str, str] = field(default_factory=dict)
    """Category of checks to the title of its suite."""
    calibration: Calibration | None = None
    """None: no baseline was in force."""

    @property
    def missing(self) -> tuple[Expected, ...]:
        """Checks that had to run on a device and left no result."""
        found = {(result.check_id, device) for result in self.results for device in (result.device, "")}
        return tuple(one for one in self.expected if (one.check_id, one.device) not in found)

    @property
    def verdict(self) -> Verdict:
        """What the run says of the site, in a word."""
        status = exit_status(self)
        if status == 1:
            return "failed"
        if status == 2:
            return "incomplete"
        return "rehearsal passed" if self.rehearsal else "passed"


def exit_status(run: Run) -> int:
    """Return the gate's exit status: 0 all passed or waived, 1 something failed, 2 something is not known.

    On a real site a skipped check is not known. In a rehearsal it is one of the things that a lab cannot prove,
    and the verdict says that it is a rehearsal.
    """
    states = {result.state for result in run.results}
    if "failed" in states:
        return 1
    proven = states & {"passed", "waived"}
    unknown = "error" in states or run.missing or run.selected or run.interrupted or not proven
    return 2 if unknown or ("skipped" in states and not run.rehearsal) else 0


def counted(results: Iterable[Result]) -> dict[State, int]:
    """Return how many results are in each state."""
    counts: dict[State, int] = {"passed": 0, "failed": 0, "error": 0, "skipped": 0, "waived": 0}
    for result in results:
        counts[result.state] += 1
    return counts


def weakest(evidence: Sequence[Evidence]) -> Evidence:
    """Return the weakest of several kinds of evidence; none: real."""
    return min(evidence, key=WEAKEST_FIRST.index, default="real")


def encoded(run: Run) -> bytes:
    """Return the run as JSON, one line a top-level list element, for people who compare two runs."""
    return b"".join(encoded_pieces(run))


def encoded_pieces(run: Run) -> Iterator[bytes]:
    """Yield the run as JSON piece by piece: that of a large site is hundreds of megabytes."""
    opening = b"{\n"
    for name in Run.__struct_fields__:
        yield opening + msgspec.json.encode(name) + b": "
        value = getattr(run, name)
        if isinstance(value, tuple | list) and value:
            yield b"[\n" + msgspec.json.encode(value[0])
            yield from (b",\n" + msgspec.json.encode(value[place]) for place in range(1, len(value)))
            yield b"\n]"
        else:
            yield msgspec.json.encode(value)
        opening = b",\n"
    yield b"\n}\n"


def load_run(path: Path) -> Run:
    """Read a run.

    Raises
    ------
    BadInputError
        The file is not there, or is none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run)
    except OSError as error:
        hint = "`rackproof validate <site>` writes it"
        raise BadInputError(f"{path} cannot be read: {error.strerror}", hint) from error
    except msgspec.MsgspecError as error:
        raise BadInputError(f"{path} is not the result of a validation: {error}") from error


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a run."""
    return msgspec.json.schema(Run)
