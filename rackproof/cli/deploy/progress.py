"""Progress of a deployment: at a terminal the current action of each device, elsewhere one line for each event."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from rackproof.cli.excerpt import printable
from rackproof.cli.output import Output, console
from rackproof.deploy.events import Ended, Event, Report

SHOWN_AT_ONCE = 16
"""Devices that a terminal shows at once; more would not fit."""


class LiveView:
    """The current action of every device that is being changed, on lines that are redrawn."""

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
    """Yield the receiver of a deployment's events, which shows them to a person.

    Parameters
    ----------
    output
        Where events are printed; a program gets only the final result.
    label
        The heading, such as "changing devices".
    total
        Number of steps.
    """
    screen = console(stderr=True)
    if output.as_json or not screen.is_terminal:
        yield unbroken(lambda event: output.note(event_text(event)))
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as progress:
        yield unbroken(LiveView(progress, label, total).take)


def unbroken(report: Report) -> Report:
    """Return a receiver that ignores a closed output, so that a device that is being changed is finished."""

    def take(event: Event) -> None:
        with suppress(OSError):
            report(event)

    return take


def event_text(event: Event) -> str:
    """Return an event on one line."""
    if isinstance(event, Ended):
        return f"{event.step}: {event.outcome}" + (f": {event.text}" if event.text else "")
    return f"{event.step}: {event.doing}"
