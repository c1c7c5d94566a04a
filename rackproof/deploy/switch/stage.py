"""A stage of a change: lines that are sent together, and whether the switch restarts afterwards."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """Lines that are sent together."""

    title: str
    """Shown as progress, such as ``lossless mode``."""
    lines: tuple[str, ...]
    """As they are typed, including those that enter and leave blocks."""
    restarting_line: str | None = None
    """A last line that asks for confirmation, saves and restarts the device by itself."""
    restart: bool = False
    """Whether Rackproof has to save and restart the device after the lines."""

    @property
    def restarts(self) -> bool:
        """Whether the device restarts in this stage."""
        return self.restart or self.restarting_line is not None

    @property
    def all_lines(self) -> tuple[str, ...]:
        """Every line that is typed."""
        return self.lines if self.restarting_line is None else (*self.lines, self.restarting_line)
