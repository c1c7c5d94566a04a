"""Commands of this machine, run without blocking the event loop; a failure is an error with their output."""

import asyncio
import shutil
from collections.abc import Iterable
from typing import Final

from lab.errors import LabError

NEEDED: Final = {
    "ip": "iproute2",
    "nft": "nftables",
    "lldpd": "lldpd",
    "lldpcli": "lldpd",
    "/usr/lib/frr/zebra": "frr",
    "/usr/lib/frr/bgpd": "frr",
}
"""Program to Debian package."""

_SAID: Final = 300
"""Characters of an error message that are shown."""


class FabricError(LabError):
    """The kernel or a daemon refused a setting of the fabric."""


async def run(*words: str, text: str = "", tolerant: bool = False) -> str:
    """Run a command and return what it printed.

    Parameters
    ----------
    words
        Program and arguments.
    text
        For its standard input.
    tolerant
        Return its output even when it failed.

    Raises
    ------
    FabricError
        It failed; the message is its own.
    """
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, error = await process.communicate(text.encode())
    if process.returncode and not tolerant:
        said = (error or out).decode(errors="replace").strip()[:_SAID]
        raise FabricError(f"{' '.join(words)}: {said}", f"status {process.returncode}; its input was: {text[:400]}")
    return out.decode(errors="replace")


async def ip_batch(namespace: str, lines: Iterable[str]) -> None:
    """Run commands of ``ip`` in a namespace, all of them with one process.

    Raises
    ------
    FabricError
        One failed; the others were run.
    """
    text = "".join(f"{line}\n" for line in lines)
    if text:
        await run("ip", "-n", namespace, "-force", "-batch", "-", text=text)


def missing() -> tuple[str, ...]:
    """Return the Debian packages that this machine lacks for a fabric."""
    return tuple(sorted({package for program, package in NEEDED.items() if shutil.which(program) is None}))
