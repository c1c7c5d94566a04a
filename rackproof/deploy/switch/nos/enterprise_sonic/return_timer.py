"""The return timer: a checkpoint outside the startup file, and a persistent timer that restores it.

Enterprise SONiC's own configuration sessions end with a restart, so they cannot cover ``roce enable``. A systemd timer
on the switch survives it: enabled, ``Persistent=true`` (systemd.timer(5)), with an absolute time of the switch's own
clock. When it fires, the checkpoint becomes the startup configuration (``/etc/sonic/config_db.json``) and the switch
restarts. ``config save -y FILE`` writes the running configuration to another file (SONiC command reference).
"""

from datetime import UTC, datetime
from typing import Final

FOLDER: Final = "/etc/sonic/rackproof"
CHECKPOINT: Final = f"{FOLDER}/checkpoint.json"
STARTUP: Final = "/etc/sonic/config_db.json"
UNIT: Final = "rackproof-return"
UNIT_FILE: Final = f"/etc/systemd/system/{UNIT}"

SERVICE: Final = (
    "[Unit]",
    "Description=Rackproof: return to the checkpoint",
    "[Service]",
    "Type=oneshot",
    # A rename needs no space and is never half done, so it works on a full disk as well.
    f"ExecStart=/bin/mv {CHECKPOINT} {STARTUP}",
    f"ExecStart=/bin/systemctl disable {UNIT}.timer",
    "ExecStart=/sbin/reboot",
)

CLOCK: Final = "date -u +%s"
"""Prints the switch's time in seconds since 1970."""

BOOT: Final = "cat /proc/sys/kernel/random/boot_id"
"""Prints the boot ID, which changes with every restart."""

IS_ARMED: Final = f"systemctl is-active {UNIT}.timer || true"
"""Prints ``active`` while a return is due."""

DUE: Final = f"cat {UNIT_FILE}.timer"
"""Prints the timer unit, whose ``OnCalendar=`` says when the return is due."""

MAKE_CHECKPOINT: Final = (
    f"sudo mkdir -p {FOLDER} && sudo config save -y {CHECKPOINT} > /dev/null && sudo test -f {CHECKPOINT}"
)

DROP_CHECKPOINT: Final = f"sudo rm -rf {FOLDER}"

DISARM: Final = (
    f"sudo systemctl disable --now {UNIT}.timer && sudo rm -f {UNIT_FILE}.timer {UNIT_FILE}.service"
    f" && sudo systemctl daemon-reload && {DROP_CHECKPOINT}"
)

HAS_CHECKPOINT: Final = f"sudo test -f {CHECKPOINT} && echo yes || echo no"

GIVE_UP: Final = f"sudo mv {CHECKPOINT} {STARTUP} && {DISARM}"
"""Puts the startup configuration back without a restart, after a save that may have failed half way."""

RETURN_NOW: Final = f"sudo systemctl start {UNIT}.service"
"""Returns to the checkpoint at once; the connection breaks."""

RESTART: Final = "sudo reboot"


def arm(due_epoch_s: int) -> str:
    """Return the command that arms the timer, or gives an armed one another time.

    Parameters
    ----------
    due_epoch_s
        When it fires, in seconds since 1970 on the switch's clock.
    """
    return " && ".join(
        (
            write_unit("service", SERVICE),
            write_unit("timer", timer_lines(due_epoch_s)),
            "sudo systemctl daemon-reload",
            f"sudo systemctl enable --now {UNIT}.timer",
            f"systemctl is-active {UNIT}.timer",
        )
    )


def timer_lines(due_epoch_s: int) -> tuple[str, ...]:
    """Return the lines of the timer unit."""
    return (
        "[Unit]",
        "Description=Rackproof: return unless confirmed",
        "[Timer]",
        f"OnCalendar={clock_text(due_epoch_s)}",
        "Persistent=true",
        "[Install]",
        "WantedBy=timers.target",
    )


def clock_text(epoch_s: int) -> str:
    """Return a time as systemd takes it: ``2026-11-20 23:45:00 UTC``."""
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def write_unit(kind: str, lines: tuple[str, ...]) -> str:
    """Return the command that writes a unit's file."""
    quoted = " ".join(f"'{line}'" for line in lines)
    return f"printf '%s\\n' {quoted} | sudo tee {UNIT_FILE}.{kind} > /dev/null"
