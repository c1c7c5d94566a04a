"""Network file systems of a server, and the transport that really carries them.

The options of a mount say what was asked for; what the kernel uses stands in ``/proc/self/mountstats``: a line
``xprt:`` for each connection (Linux, net/sunrpc/stats.c, xprtsock.c and xprtrdma/transport.c). Mounts of systemd's
automounts are mounted by the first access; the access ends by itself where the storage does not answer.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output

LOOK: Final = (
    "sed -nE 's/^systemd-1 (\\/mnt\\/[^ ]+) autofs .*/\\1/p' /proc/mounts | { "
    'while read -r path; do timeout -s KILL 8 stat "$path/." >/dev/null 2>&1 & done; wait; }; '
    "cat /proc/self/mountstats"
)
"""Accesses systemd's automounts under /mnt, all at once; an access that waits for a dead server can be killed."""
DEVICE: Final = re.compile(
    r"^device (?P<source>\S+) mounted on (?P<path>\S+) with fstype (?P<type>\S+)(?: statvers=\S+)?$", re.MULTILINE
)
OPTIONS: Final = re.compile(r"^\s*opts:\s*(\S+)", re.MULTILINE)
TRANSPORT: Final = re.compile(r"^\s*xprt:\s*(\S+)", re.MULTILINE)
NETWORK: Final = frozenset({"nfs", "nfs4"})


class NetworkMount(Struct, frozen=True, gc=False):
    """A mounted network file system."""

    path: str
    source: str
    """Server and what it exports: ``10.20.1.11:/ifs``."""
    version: str
    """Of NFS: ``4.1``; empty: it does not say."""
    transports: tuple[str, ...]
    """Of each connection: ``rdma``, ``tcp``."""
    options: Mapping[str, str]
    """As asked for; an option without value has an empty one."""


Mounts = Mapping[str, NetworkMount]
"""By path."""


def parse_mounts(answers: Answers) -> Mounts:
    """Return the mounted network file systems.

    Raises
    ------
    FactError
        The command failed or hangs.
    """
    text = command_output(answers, LOOK)
    heads = list(DEVICE.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    blocks = ((head, text[head.end() : end]) for head, end in zip(heads, ends, strict=True))
    # Where one is mounted over another, the last is what a program sees.
    return {head["path"]: _mount(head, block) for head, block in blocks if head["type"] in NETWORK}


def _mount(head: re.Match[str], block: str) -> NetworkMount:
    said = OPTIONS.search(block)
    words = [word.partition("=") for word in said.group(1).split(",")] if said else []
    options = {name: value for name, _, value in words}
    transports = tuple(TRANSPORT.findall(block))
    return NetworkMount(head["path"], head["source"], options.get("vers", ""), transports, options)


FACT: Final = Fact("mounts", (LOOK,), parse_mounts)
