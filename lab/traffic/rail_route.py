"""The way over one rail, for programs that do not say which address they leave from."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import IPv4Address
from typing import Final

from lab.errors import LabError
from lab.traffic.host import Host

_ADD: Final = """way=$(ip -o route get {far} from {own} 2>&1 | grep -oE '(via [0-9.]+ )?dev [^ ]+' | head -n 1)
[ -n "$way" ] || {{ echo "no way from {own} to {far}" >&2; exit 1; }}
ip route replace {far}/32 $way src {own}
"""
_REMOVE: Final = "ip route del {far}/32 src {own}\n"


@asynccontextmanager
async def rail_route(one: Host, own: IPv4Address, other: Host, far: IPv4Address) -> AsyncIterator[None]:
    """Let two hosts reach each other over one rail while this lasts.

    RDMA leaves from the address that it is told, and the host's rules for that address find the way. A mount and the
    first words of ib_write_bw ask for no address: for them each host gets a route to the other, by those very rules.

    Raises
    ------
    LabError
        A host knows no way.
    """
    ends = ((one, own, far), (other, far, own))
    try:
        for machine, near, away in ends:
            await machine.run(_ADD.format(own=near, far=away))
        yield
    finally:
        for machine, near, away in ends:
            with suppress(LabError):
                await machine.run(_REMOVE.format(own=near, far=away))
