"""Asynchronous work of a verb, with Ctrl-C."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from rackproof.errors import RackproofError

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T], in_progress: "Sequence[str] | set[str]" = ()) -> T:
    """Run asynchronous work; the first Ctrl-C lets it finish or roll back, the second one stops it at once.

    Raises
    ------
    RackproofError
        A second Ctrl-C came while devices were being changed; the message names them.
    """
    try:
        return asyncio.run(work)
    except KeyboardInterrupt as error:
        devices = ", ".join(sorted(in_progress))
        if not devices:
            raise
        message = f"stopped at once, while changes were in progress on {devices}"
        hint = (
            "a switch rolls back when its timer ends, within half an hour; a host keeps the changes that were made. "
            "Then run the command again"
        )
        raise RackproofError(message, hint) from error
