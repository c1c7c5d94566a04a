"""One run of ``nv``."""

from dataclasses import dataclass

from lab.switches.nos.cumulus.schema import RefusedPathError
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import Leaf, Words
from lab.switches.shell.call import Call


class SessionCutError(Exception):
    """The session dropped before the request had reached NVUE."""


@dataclass(slots=True)
class Run:
    """A command with its words and options."""

    call: Call
    system: Cumulus
    words: list[str]

    @property
    def user(self) -> str:
        """The user that runs it: each has a separate pending revision."""
        return self.call.user

    def option(self, *names: str) -> bool:
        """Take an option out of the words; return whether it was there."""
        found = [word for word in self.words if word in names]
        self.words = [word for word in self.words if word not in names]
        return bool(found)

    def value(self, *names: str) -> str | None:
        """Take an option and its value out of the words; return the value, or None."""
        for place, word in enumerate(self.words[:-1]):
            if word in names:
                found = self.words[place + 1]
                del self.words[place : place + 2]
                return found
        return None

    def count(self, verb: str, paths: list[Leaf] | list[tuple[Words, None]]) -> None:
        """Count configuration lines for the faults that depend on them.

        Raises
        ------
        RefusedPathError
            One of them is refused though it is right.
        SessionCutError
            The session dropped.
        """
        fault_flags = self.call.switch.fault_flags
        for path, found in paths:
            line = " ".join([f"nv {verb}", *path, *([] if found is None else [found])])
            if fault_flags.refuses(line):
                raise RefusedPathError(f"Config invalid at {'.'.join(path)}: operation failed")
            self.count_line()

    def count_line(self) -> None:
        """Count one line.

        Raises
        ------
        SessionCutError
            The session dropped.
        """
        cuts: list[None] = []
        self.call.switch.fault_flags.count_line(lambda: cuts.append(None))
        if cuts:
            for drop in tuple(self.call.switch.sessions.values()):
                drop()
            raise SessionCutError

    def created(self, *, new: bool, number: int) -> None:
        """Print NVUE's message for a change of the pending revision."""
        self.call.print(f"{'created' if new else 'updated'} [rev_id: {number}]")
