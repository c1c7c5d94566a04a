"""The lab's clock: real time that can be moved ahead, and each switch's own view of it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Listener = Callable[[], None]


class LabClock:
    """Wall clock of the whole lab: runs with real time and can be advanced."""

    def __init__(self) -> None:
        self._offset_s = 0.0
        self._listeners: list[Listener] = []

    def now(self) -> float:
        """Return seconds since 1970 in the lab."""
        return time.time() + self._offset_s

    def advance(self, seconds: float) -> None:
        """Advance the clock and call all listeners.

        Raises
        ------
        ValueError
            ``seconds`` is negative: a clock that runs back would undo what has happened.
        """
        if seconds < 0:
            message = "the lab's clock only moves ahead"
            raise ValueError(message)
        self._offset_s += seconds
        for listener in tuple(self._listeners):
            listener()

    def on_change(self, listener: Listener) -> None:
        """Call ``listener`` whenever the clock was moved."""
        self._listeners.append(listener)


class SwitchClock:
    """A switch's clock: the lab's, plus the time its own reboots took.

    A reboot takes minutes of lab time and milliseconds of real time. The minutes are added to the clock of the switch
    that reboots only, so that other switches' timers are not shortened by it.
    """

    def __init__(self, lab: LabClock) -> None:
        self._lab = lab
        self._skew_s = 0.0

    def now(self) -> float:
        """Return seconds since 1970 on this switch."""
        return self._lab.now() + self._skew_s

    def utc(self) -> datetime:
        """Return the date and time on this switch."""
        return datetime.fromtimestamp(self.now(), UTC)

    def pass_time(self, seconds: float) -> None:
        """Let time pass for this switch alone."""
        self._skew_s += seconds
