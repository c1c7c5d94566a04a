"""The fault flags of a lab switch: set by faults, read by the rest of the switch."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class FaultFlags:
    """The active faults of one switch."""

    silent: bool = False
    """Accepts connections and never answers."""
    answer_delay_s: float = 0.0
    """Real seconds before every answer."""
    refused: list[re.Pattern[str]] = field(default_factory=list)
    """Patterns of valid configuration lines that are refused."""
    lines_until_cut: int | None = None
    """Configuration lines after which the session drops; None: it does not."""
    lost_after_lines: int | None = None
    """Cannot be reached once so many configuration lines were typed with a return timer armed, until it has fired."""
    lost_in_lab_time: bool = False
    """Whether the timer fires in lab time only; else it fires soon in real time."""

    def refuses(self, line: str) -> bool:
        """Return whether a configuration line is refused."""
        return any(pattern.search(line) for pattern in self.refused)

    def count_line(self, cut: Callable[[], None]) -> None:
        """Count a configuration line; drop the session when the limit is reached."""
        if self.lines_until_cut is None:
            return
        self.lines_until_cut -= 1
        if self.lines_until_cut <= 0:
            self.lines_until_cut = None
            cut()
