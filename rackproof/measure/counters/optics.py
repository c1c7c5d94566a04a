"""Optical power and temperature of a module with its own thresholds, from ``ethtool -m`` (sff-common.c, cmis.c)."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

READING: Final = re.compile(
    r"^\s*(?P<what>Transmit avg optical power|Rcvr signal avg optical power|Laser output power|Receiver signal average"
    r" optical power|Module temperature)\s*(?:\(Channel (?P<channel>\d+)\))?\s*:\s*(?P<values>.+)$",
    re.MULTILINE,
)
LIMIT: Final = re.compile(
    r"^\s*(?P<what>Laser output power|Laser rx power|Module temperature) (?P<side>high|low) warning threshold\s*:\s*"
    r"(?P<values>.+)$",
    re.MULTILINE,
)
NUMBER: Final = re.compile(r"(-?\d+(?:\.\d+)?) (dBm|degrees C)")
THRESHOLD_NAMES: Final = {
    "Transmit avg optical power": "Laser output power",
    "Laser output power": "Laser output power",
    "Rcvr signal avg optical power": "Laser rx power",
    "Receiver signal average optical power": "Laser rx power",
    "Module temperature": "Module temperature",
}
"""Name of a reading to the name of its thresholds."""


class Reading(NamedTuple):
    """A value of a module, with the low and high warning thresholds."""

    what: str
    value: float
    unit: str
    least: float
    most: float

    @property
    def within_thresholds(self) -> bool:
        """Whether the value raises no warning."""
        return self.least <= self.value <= self.most


def module_readings(text: str) -> tuple[Reading, ...]:
    """Return the readings of a module; none where it measures nothing, such as a copper cable.

    Raises
    ------
    ValueError
        It has readings without thresholds.
    """
    limits = {(row["what"], row["side"]): _number(row["values"])[0] for row in LIMIT.finditer(text)}
    return tuple(_readings(text, limits))


def _readings(text: str, limits: dict[tuple[str, str], float]) -> Iterator[Reading]:
    for row in READING.finditer(text):
        name = THRESHOLD_NAMES[row["what"]]
        if (name, "low") not in limits or (name, "high") not in limits:
            raise ValueError(f"the module states no thresholds of its {name.lower()}")
        value, unit = _number(row["values"])
        channel = f" of channel {row['channel']}" if row["channel"] else ""
        yield Reading(f"{name.lower()}{channel}", value, unit, limits[name, "low"], limits[name, "high"])


def _number(text: str) -> tuple[float, str]:
    """Return a value in dBm or degrees; no light at all is a power below every threshold."""
    match = NUMBER.search(text)
    if match is None and "-inf dBm" in text:
        return float("-inf"), "dBm"
    if match is None:
        raise ValueError(f"{text.strip()!r} is no power and no temperature")
    return float(match[1]), match[2]
