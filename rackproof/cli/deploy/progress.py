"""Progress of a deployment: at a terminal what each device is doing now, elsewhere a line for everything."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from rackproof.cli.excerpt import printable
from rackproof.cli.output import Output, console
from rackproof.deploy.events import Ended, Event, Report

SHOWN_AT_ONCE = 16
"""Devices a terminal shows at once; more would not fit on it."""


class LiveView:
    """What every device in hand is doing, on a few lines that are drawn again and again."""

    def __init__(self, progress: Progress, label: str, total: int) -> None:
        self._progress = progress
        self._label = label
        self._total = total
        self._ended = 0
        self._all = progress.add_task(self._count, total=None)
        self._shown: dict[str, TaskID] = {}

    @property
    def _count(self) -> str:
        return f"{self._label}: {self._ended} of {self._total}"

    def take(self, event: Event) -> None:
        """Show an event."""
        if isinstance(event, Ended):
            if event.step in self._shown:
                self._progress.remove_task(self._shown.pop(event.step))
            self._ended += 1
            self._progress.update(self._all, description=self._count)
            return
        text = f"  {printable(event.step)}: {printable(event.doing)}"
        if event.step in self._shown:
            self._progress.update(self._shown[event.step], description=text)
        elif len(self._shown) < SHOWN_AT_ONCE:
            self._shown[event.step] = self._progress.add_task(text, total=None)


@contextmanager
def followed(output: Output, label: str, total: int) -> Iterator[Report]:
    """Yield where a deployment's events go, so that a person can follow it.

    Parameters
    ----------
    output
        Where it is told; a program is told nothing before the end.
    label
        What is happening.
    total
        Number of steps.
    """
    screen = console(stderr=True)
    if output.as_json or not screen.is_terminal:
        yield lambda event: output.note(event_text(event))
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as progress:
        yield LiveView(progress, label, total).take


def event_text(event: Event) -> str:
    """Return an event on one line."""
    if isinstance(event, Ended):
        return f"{event.step}: {event.outcome}" + (f": {event.text}" if event.text else "")
    return f"{event.step}: {event.doing}"
