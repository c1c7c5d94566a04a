"""The parts of switch configurations that Rackproof leaves alone, as one line for a person."""

from collections.abc import Mapping, Sequence

from rackproof.cli.output import Output
from rackproof.plural import counted


def show_left_alone(found: Mapping[str, Sequence[str]], output: Output) -> None:
    """Print one line on what was left alone; nothing where there is none.

    Parameters
    ----------
    found
        Device to the topics that were left alone on it: ``AAA``, ``SNMP``.
    output
        Where to print.
    """
    devices: dict[str, list[str]] = {}
    for name, topics in found.items():
        for topic in topics:
            devices.setdefault(topic, []).append(name)
    if devices:
        parts = ", ".join(f"{topic} on {place(names)}" for topic, names in sorted(devices.items()))
        output.line(f"left alone, and not compared: {parts}", "dim")


def place(names: Sequence[str]) -> str:
    """Return the name of one device, or the number of several."""
    return names[0] if len(names) == 1 else counted(len(names), "device")
