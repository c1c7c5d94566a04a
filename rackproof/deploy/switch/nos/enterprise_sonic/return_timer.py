"""The return timer: a checkpoint outside the startup file, and a persistent timer that restores it.

Enterprise SONiC's own configuration sessions end with a restart, so they cannot cover ``roce enable``. A systemd timer
on the switch survives it: enabled, ``Persistent=true`` (systemd.timer(5)), with an absolute time of the switch's own
clock. When it fires, the checkpoint becomes the startup configuration (``/etc/sonic/config_db.json``) and the switch
restarts. ``config save -y FILE`` writes the running configuration to another file (SONiC command reference).
"""

import shlex
from typing import Final

from rackproof.deploy.switch.device_lock import LockPlace, clock_text

FOLDER: Final = "/etc/sonic/rackproof"
CHECKPOINT: Final = f"{FOLDER}/checkpoint.json"
STARTUP: Final = "/etc/sonic/config_db.json"
LOCK: Final = LockPlace("/var/lib", "rackproof.lock", as_root=True)
"""On the disk, because a change may restart the switch."""
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

COPY: Final = "/run/rackproof-$$.json"
"""A copy of the running configuration in memory (file-hierarchy(7)); the shell puts its process number in."""

COMPARE_STARTUP: Final = (
    f"umask 077; config save -y {COPY} > /dev/null 2>&1 && cmp {COPY} {STARTUP}; rm -f {COPY}; true"
)
"""Prints a line that contains ``differ`` where the startup file is not what a save would write (cmp(1))."""

UNFINISHED: Final = {
    # Each as one command that does not fail: a user without sudo can compare, without the startup file.
    "return": f"sh -c 'systemctl is-active {UNIT}.timer || true'",
    "due": f"sh -c 'cat {UNIT_FILE}.timer 2>/dev/null || true'",
    "files": f"sh -c 'ls -d {FOLDER} {UNIT_FILE}.timer {UNIT_FILE}.service 2>/dev/null || true'",
    "startup": f"sh -c {shlex.quote(f'sudo -n sh -c {shlex.quote(COMPARE_STARTUP)} 2>/dev/null || true')}",
}
"""What an interrupted deployment left: ``active`` while a return is due, its time, its files, and unsaved changes."""

MAKE_CHECKPOINT: Final = (
    f"sudo mkdir -p {FOLDER} && sudo config save -y {CHECKPOINT} > /dev/null && sudo test -f {CHECKPOINT}"
)

DROP_CHECKPOINT: Final = f"sudo rm -rf {FOLDER}"

DISARM: Final = (
    f"test ! -e {UNIT_FILE}.timer || sudo systemctl disable --now {UNIT}.timer"
    f" && sudo rm -f {UNIT_FILE}.timer {UNIT_FILE}.service && sudo systemctl daemon-reload && {DROP_CHECKPOINT}"
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


def write_unit(kind: str, lines: tuple[str, ...]) -> str:
    """Return the command that writes a unit's file."""
    quoted = " ".join(f"'{line}'" for line in lines)
    return f"printf '%s\\n' {quoted} | sudo tee {UNIT_FILE}.{kind} > /dev/null"
