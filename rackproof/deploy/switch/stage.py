"""A stage of a change: lines that go to a device in one go, and whether it restarts afterwards."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """Lines that belong together."""

    title: str
    """What a person is told is happening, such as ``lossless mode``."""
    lines: tuple[str, ...]
    """As they are typed, blocks entered and left."""
    restarting_line: str | None = None
    """A last line that asks for confirmation, saves and restarts the device by itself."""
    restart: bool = False
    """Whether the device has to be saved and restarted by us after the lines."""

    @property
    def restarts(self) -> bool:
        """Whether the device restarts in this stage."""
        return self.restart or self.restarting_line is not None

    @property
    def all_lines(self) -> tuple[str, ...]:
        """Every line that is typed."""
        return self.lines if self.restarting_line is None else (*self.lines, self.restarting_line)
