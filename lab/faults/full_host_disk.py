"""A full disk on a host."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_FILL: Final = """mkdir -p /var/tmp/full
number=0
for size in $(df --output=avail --block-size=1 / | tail -n 1) 64M 8M 1M 64K 4K; do
    while fallocate --length "$size" "/var/tmp/full/$number" 2>/dev/null; do number=$((number + 1)); done
    rm -f "/var/tmp/full/$number"
done
"""


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Fill the disk of a host to the last block, including the blocks reserved for root."""
    full = lab.host(host)
    await full.run(_FILL)

    async def undo() -> None:
        await full.run("rm -rf /var/tmp/full")

    return undo
