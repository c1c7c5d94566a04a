"""How a lab switch misbehaves: what the faults set and the rest of the switch looks at."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class FaultFlags:
    """The faults in force on one switch."""

    silent: bool = False
    """Takes connections and never answers."""
    answer_delay_s: float = 0.0
    """Real seconds before every answer."""
    refused: list[re.Pattern[str]] = field(default_factory=list)
    """Configuration lines that are refused though they are right."""
    lines_until_cut: int | None = None
    """Configuration lines after which the session drops; None: it does not."""
    lost_after_lines: int | None = None
    """Cannot be reached once so many configuration lines were typed with a return timer armed, until it has fired."""
    lost_in_lab_time: bool = False
    """Whether somebody has to move the lab's clock until the timer fires; else it fires soon in real time."""

    def refuses(self, line: str) -> bool:
        """Return whether a configuration line is refused."""
        return any(pattern.search(line) for pattern in self.refused)

    def count_line(self, cut: Callable[[], None]) -> None:
        """Note that a configuration line was typed; drop the session when it was one too many."""
        if self.lines_until_cut is None:
            return
        self.lines_until_cut -= 1
        if self.lines_until_cut <= 0:
            self.lines_until_cut = None
            cut()
