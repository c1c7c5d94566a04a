"""Storage mounted over TCP instead of RDMA."""

from typing import TYPE_CHECKING, Final

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_UNITS: Final = """for file in $(grep -lx 'Options=.*proto=rdma.*' /etc/systemd/system/*.mount 2>/dev/null); do
    basename "$file"
done
"""
_FALL_BACK: Final = """for unit in {units}; do
    place=/run/systemd/system/$unit.d
    mkdir -p "$place"
    options=$(sed -n 's/^Options=//p' "/etc/systemd/system/$unit")
    options=$(echo "$options" | sed 's/proto=rdma/proto=tcp/; s/port=20049/port=2049/')
    printf '[Mount]\\nOptions=%s\\n' "$options" >"$place/rackproof-lab.conf"
    systemctl daemon-reload
    systemctl restart "$unit"
    rm -r "$place"
done
systemctl daemon-reload
"""
"""The unit file stays as it is; only the mount differs, as after a manual mount."""


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Mount over TCP what a host should mount over RDMA, until it is cleared, mounted again or the host boots."""
    machine = lab.host(host)
    units = (await machine.run(_UNITS)).split()
    if not units:
        raise LabError(f"{host} is not configured to mount anything over RDMA", "`rackproof up` brings it up")
    names = " ".join(f"'{unit}'" for unit in units)
    await machine.run(_FALL_BACK.format(units=names))

    async def undo() -> None:
        await machine.run(f"systemctl restart {names}")

    return undo
