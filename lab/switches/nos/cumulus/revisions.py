"""Revisions of the configuration: empty, startup, applied, what users have pending, and those before (NVUE-CLI)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lab.switches.nos.cumulus.tree import Tree, copied

State = Literal["pending", "invalid", "confirm", "confirm_fail", "applied", "applied_and_saved", "inactive", "detached"]
"""As ``nv config revision`` names them; ``confirm`` is applied and waits to be confirmed."""


class UnknownRevisionError(Exception):
    """There is no such revision; the text is what NVUE prints."""


@dataclass(slots=True)
class Revision:
    """One revision of the configuration."""

    number: int
    tree: Tree
    user: str
    state: State = "pending"
    parent: int | None = None
    """The revision that was applied before it."""
    applies: int = 0
    date: str = ""
    message: str = ""

    @property
    def apply_id(self) -> str:
        """Identifier of its latest apply."""
        return f"rev_{self.number}_apply_{self.applies}"


@dataclass(slots=True)
class Revisions:
    """All revisions of one switch."""

    applied: Revision
    saved: Revision
    """What the startup file holds."""
    before: Revision | None = None
    """What was applied before the one that waits to be confirmed."""
    pending: dict[str, Revision] = field(default_factory=dict)
    """By user."""
    known: dict[int, Revision] = field(default_factory=dict)

    @classmethod
    def first(cls, tree: Tree) -> "Revisions":
        """Return the revisions of a switch that was just set up."""
        revision = Revision(1, tree, "root", "applied_and_saved", applies=1)
        return cls(revision, revision, known={1: revision})

    def attached(self, user: str) -> tuple[Revision, bool]:
        """Return a user's pending revision, and whether it was made just now."""
        found = self.pending.get(user)
        if found is not None:
            return found, False
        return self.new(user, copied(self.applied.tree)), True

    def new(self, user: str, tree: Tree) -> Revision:
        """Make a pending revision for a user."""
        revision = Revision(max(self.known) + 1, tree, user, parent=self.applied.number)
        self.pending[user] = self.known[revision.number] = revision
        return revision

    def detach(self, user: str) -> Revision | None:
        """Detach a user's pending revision; it stays under its number."""
        found = self.pending.pop(user, None)
        if found is not None:
            found.state = "detached"
        return found

    def tree(self, name: str, user: str) -> Tree:
        """Return the configuration of a revision: by number, or applied, startup, pending, empty.

        Raises
        ------
        UnknownRevisionError
            There is no such revision.
        """
        named = {"applied": self.applied.tree, "startup": self.saved.tree, "empty": {}}
        if name in named:
            return named[name]
        if name == "pending":
            return (self.pending.get(user) or self.applied).tree
        return self.numbered(name).tree

    def numbered(self, name: str) -> Revision:
        """Return the revision of a number.

        Raises
        ------
        UnknownRevisionError
            There is no such revision.
        """
        found = self.known.get(int(name)) if name.isdigit() else None
        if found is None:
            raise UnknownRevisionError(f"Unknown revision: {name}")
        return found

    def history(self) -> Iterator[Revision]:
        """Yield the revisions that were ever applied, latest first."""
        applied = [revision for revision in self.known.values() if revision.applies]
        yield from sorted(applied, key=lambda revision: revision.number, reverse=True)
