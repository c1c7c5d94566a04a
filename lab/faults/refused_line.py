"""A switch refuses a configuration line."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, pattern: str) -> "Undo":
    """Refuse configuration lines that match a regular expression."""
    fault_flags = lab.switch(switch).fault_flags
    refused = re.compile(pattern)
    fault_flags.refused.append(refused)

    async def undo() -> None:
        fault_flags.refused.remove(refused)

    return undo
