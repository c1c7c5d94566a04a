"""The GID index of a RoCE address changed."""

from typing import TYPE_CHECKING, Final

from lab.hosts.at_port import at_rdma_device

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_OTHER: Final = "192.0.2.77/32"
"""An address for documentation (RFC 5737): no site has it."""
_TAKE: Final = f'ip address add {_OTHER} dev "$port"'
_LEAVE: Final = f'ip address delete {_OTHER} dev "$port"'
_RENEW: Final = """address=$(ip -4 -o address show dev "$port" scope global | awk 'NR == 1 {{ print $4 }}')
[ -n "$address" ] || {{ echo "$port has no address yet" >&2; exit 1; }}
kept=$(ip -4 route show table all dev "$port" | sed '/^local /d; /^broadcast /d; s/ linkdown//')
ip address delete "$address" dev "$port"
{between}
ip address add "$address" dev "$port"
for gateway in no yes; do
    printf '%s\\n' "$kept" | while read -r route; do
        case "$route" in *' via '*) by=yes ;; *) by=no ;; esac
        [ -z "$route" ] || [ $by != $gateway ] || ip route replace $route dev "$port"
    done
done
"""
"""The first free place of the table is taken: what comes between takes the one that the address had. Its routes go
with an address; they come back, those by a gateway once it can be reached."""
MOVE: Final = _RENEW.format(between=_TAKE)
BACK: Final = f"{_LEAVE}\n{_RENEW.format(between='')}"


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Move the address of a host's port to another GID index until the fault is cleared or the host boots."""
    machine = lab.host(host)
    nic = machine.spec.nic(port)
    await machine.run(at_rdma_device(nic, MOVE))

    async def undo() -> None:
        await machine.run(at_rdma_device(nic, BACK))

    return undo
