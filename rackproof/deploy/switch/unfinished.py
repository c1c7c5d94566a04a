"""What an interrupted deployment left on a switch: an armed return, an unsaved configuration, leftover files.

A switch that runs its intent and returns to another configuration in some minutes is not as intended. So this is a part
of the state of a switch, read in the same round trip as its running configuration and shown as differences.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rackproof.deploy.protocol import Change, Disruption

UNFINISHED = "unfinished"
"""First part of the path of these changes."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What has to be finished or returned before a switch is as intended."""

    armed: str = ""
    """The armed return and when it is due, as a sentence without a full stop; empty: none is armed."""
    returns_by: Disruption = Disruption.NONE
    """What the return does to the traffic of the switch."""
    unsaved: bool = False
    """Whether the startup configuration differs from the running one."""
    leftovers: tuple[str, ...] = ()
    """Files of the rollback of a deployment that has ended."""

    def __bool__(self) -> bool:
        """Whether anything is unfinished."""
        return bool(self.armed or self.unsaved or self.leftovers)

    def changes(self, *, intended: bool) -> Iterator[Change]:
        """Yield what `rackproof up` does about it.

        Parameters
        ----------
        intended
            Whether the running configuration is the intended one: it is confirmed and saved then. Otherwise the switch
            returns now, and is configured from there.
        """
        if self.armed and intended:
            yield Change((UNFINISHED, "return"), self.armed, None, f"{self.armed}: confirmed and saved instead")
        elif self.armed:
            text = f"{self.armed}: returned now, then configured"
            yield Change((UNFINISHED, "return"), self.armed, None, text, self.returns_by)
        if self.unsaved and intended and not self.armed:  # a change saves anyway
            text = "the running configuration is not saved, a restart returns to the startup configuration: saved"
            yield Change((UNFINISHED, "startup"), "differs", "saved", text)
        if self.leftovers and not self.armed:
            files = ", ".join(self.leftovers)
            text = f"files of an interrupted deployment remain ({files}): removed"
            yield Change((UNFINISHED, "files"), files, None, text)


NOTHING_UNFINISHED = Unfinished()
