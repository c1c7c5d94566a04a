"""BIOS and iDRAC attributes of the lab, with their values.

Names and values of PowerEdge BIOS attributes: Dell, iDRAC 9 Redfish API guide (Bios, BiosRegistry) and Dell's
attribute registry for servers of the XE9680's generation; a small part of some hundred.
"""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Attribute:
    """One BIOS or iDRAC attribute."""

    name: str
    default: str | int
    values: tuple[str, ...] = ()
    """Allowed values; empty for a number or a text."""
    bounds: tuple[int, int] | None = None
    """Smallest and largest number."""
    read_only: bool = False

    @property
    def kind(self) -> str:
        """The type, as an attribute registry names it (DMTF AttributeRegistry schema)."""
        return "Enumeration" if self.values else "Integer" if self.bounds else "String"

    def problem(self, value: object) -> str:
        """Return why a value is refused; empty when it is accepted."""
        if self.read_only:
            return "is read-only"
        if self.values and value not in self.values:
            return f"takes {', '.join(self.values)}"
        if self.bounds and not (isinstance(value, int) and self.bounds[0] <= value <= self.bounds[1]):
            return f"takes {self.bounds[0]} to {self.bounds[1]}"
        return ""

    def entry(self, **more: object) -> dict[str, Any]:
        """Return the attribute as a registry describes it."""
        entry: dict[str, Any] = {"AttributeName": self.name, "Type": self.kind, "ReadOnly": self.read_only, **more}
        if self.values:
            entry["Value"] = [{"ValueName": value, "ValueDisplayName": value} for value in self.values]
        if self.bounds:
            entry["LowerBound"], entry["UpperBound"] = self.bounds
        return entry


SWITCH: Final = ("Enabled", "Disabled")

BIOS: Final = {
    each.name: each
    for each in (
        Attribute("SysProfile", "PerfPerWattOptimizedDapc", ("PerfPerWattOptimizedDapc", "PerfPerWattOptimizedOs",
                                                             "PerfOptimized", "PerfWorkstation", "Custom")),
        Attribute("ProcVirtualization", "Enabled", SWITCH),
        Attribute("SriovGlobalEnable", "Disabled", SWITCH),
        Attribute("LogicalProc", "Enabled", SWITCH),
        Attribute("SubNumaCluster", "Disabled", ("Disabled", "2-Way", "4-Way")),
        Attribute("MmioAbove4Gb", "Enabled", SWITCH),
        Attribute("BootMode", "Uefi", ("Bios", "Uefi")),
        Attribute("AcPwrRcvryUserDelay", 120, bounds=(120, 600)),
        Attribute("SystemBiosVersion", "2.2.4", read_only=True),
    )
}  # fmt: skip
"""BIOS attributes with their factory defaults."""

IDRAC: Final = {
    each.name: each
    for each in (
        Attribute("NTPConfigGroup.1.NTPEnable", "Disabled", SWITCH),
        Attribute("NTPConfigGroup.1.NTP1", ""),
        Attribute("NTPConfigGroup.1.NTP2", ""),
        Attribute("Time.1.Timezone", "UTC"),
        Attribute("IPMILan.1.Enable", "Disabled", SWITCH),
        Attribute("ServerPwr.1.PSRapidOn", "Enabled", SWITCH),
    )
}
"""iDRAC attributes (Dell, iDRAC attribute registry)."""


def refused(known: dict[str, Attribute], wanted: dict[str, object]) -> list[str]:
    """Return the problems of requested attributes."""
    unknown = [f"{name} is not an attribute" for name in wanted if name not in known]
    held = {name: known[name].problem(value) for name, value in wanted.items() if name in known}
    return unknown + [f"{name} {problem}" for name, problem in held.items() if problem]
