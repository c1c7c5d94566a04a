"""Host routes over one rail, for programs that do not choose their source address."""

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
    """Route the traffic between two hosts over one rail while the context is open.

    RDMA uses a given source address, for which the host has routing rules. A mount and ib_write_bw's TCP connection
    choose none: for them each host gets a route to the other that follows the same rules.

    Raises
    ------
    LabError
        A host has no route.
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
