"""The password of a switch differs from the configured one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str) -> "Undo":
    """Change the password on a switch."""
    passwords = lab.switch(switch).passwords
    before = dict(passwords)
    passwords.update({user: f"not-{password}" for user, password in before.items()})

    async def undo() -> None:
        passwords.update(before)

    return undo
