"""Baseline: what a known-good run of this site measured; later runs may lose a little of it, and no more."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field
from ruamel.yaml import YAML

from rackproof.errors import BadInputError
from rackproof.files import write_whole
from rackproof.render.yaml_text import yaml_text
from rackproof.results import Calibration, Result, Threshold

FILE_NAME: Final = "baseline.yaml"
"""Beside the site file."""
LOSS_MAX: Final = 0.05
"""More than 5 % worse than the fleet's baseline is defective (SuperBench, rules with the default variance)."""
SOURCE: Final = "5 % off the baseline of this site"
HEAD: Final = "# What `rackproof validate --calibrate` measured when the site was known to be good.\n"


class Baseline(Struct, frozen=True):
    """Measured values, by check and subject, in the units of their thresholds."""

    run: str = ""
    """The run it came from: when it started, UTC."""
    measured: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def calibration(self) -> Calibration | None:
        """What a run says of it; None: there is none."""
        return Calibration(FILE_NAME, self.run, sum(map(len, self.measured.values()))) if self.run else None

    def sharpened(self, check_id: str, subject: str, threshold: Threshold) -> Threshold:
        """Return the stricter one of a threshold and what the baseline allows."""
        before = self.measured.get(check_id, {}).get(subject)
        if before is None or threshold.comparison == "equal to":
            return threshold
        at_least = threshold.comparison == "at least"
        allowed = before * (1 - LOSS_MAX if at_least else 1 + LOSS_MAX)
        if (allowed > threshold.value) is not at_least:
            return threshold
        formula = f"{before:g} {threshold.unit} of {self.run}, {'-' if at_least else '+'} 5 %"
        return msgspec.structs.replace(threshold, value=allowed, source=SOURCE, formula=formula, calibrated=True)


def load_baseline(path: Path) -> Baseline:
    """Read a baseline; where there is none yet, thresholds alone count.

    Raises
    ------
    BadInputError
        The file cannot be used.
    """
    if not path.is_file():
        return Baseline()
    try:
        return msgspec.convert(YAML(typ="safe").load(path), Baseline)
    except (msgspec.MsgspecError, ValueError) as error:
        hint = "`rackproof validate <site> --calibrate` writes it anew"
        raise BadInputError(f"{path} cannot be used: {error}", hint) from error


def write_baseline(path: Path, run: str, results: Iterable[Result]) -> int:
    """Write what a run measured, as a whole, and return how many values that are."""
    measured: dict[str, dict[str, float]] = {}
    for result in results:
        if result.measured is not None and result.threshold and result.threshold.comparison != "equal to":
            measured.setdefault(result.check_id, {})[result.subject] = result.measured
    write_whole(path, [(HEAD + yaml_text({"run": run, "measured": measured})).encode()])
    return sum(map(len, measured.values()))
