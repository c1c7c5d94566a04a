"""Programs that work on the machine: systemd, the clock, the disk, the power."""

import asyncio
from collections.abc import Mapping

from lab.switches.shell.call import Call, Program
from lab.switches.systemd import UnitError

_INACTIVE = 3


async def systemctl(call: Call) -> int:
    """Control timers and services."""
    options = {word for word in call.arguments[1:] if word.startswith("-")}
    words = [word for word in call.arguments[1:] if not word.startswith("-")]
    verb, names = (words[0] if words else "list-timers"), words[1:]
    changes = {"enable", "disable", "start", "stop", "restart", "daemon-reload", "reboot"}
    if verb in changes and not call.root:
        return call.fail(f"Failed to {verb}: Interactive authentication required.")
    try:
        return await _systemctl(call, verb, names, now="--now" in options)
    except UnitError as error:
        return call.fail(f"Failed to {verb} unit: {error}", 5 if verb == "start" else 1)


async def _systemctl(call: Call, verb: str, names: list[str], *, now: bool) -> int:
    units = call.switch.units
    if verb == "daemon-reload":
        units.reload()
        return 0
    if verb in {"is-active", "is-enabled"}:
        return _query(call, verb, names)
    if verb == "list-timers":
        call.out.extend(f"{timer.name} {timer.service}\n" for timer in units.armed)
        return 0
    if verb == "reboot":
        call.switch.reboot()
        return 0
    for name in names:
        status = await _change(call, verb, name, now=now)
        if status:
            return status
    call.switch.watch_timers()
    return 0


def _query(call: Call, verb: str, names: list[str]) -> int:
    units = call.switch.units
    status = 0
    for name in names:
        if verb == "is-active":
            call.print("active" if units.is_active(name) else "inactive")
            status = status if units.is_active(name) else _INACTIVE
        else:
            call.print("enabled" if units.is_enabled(name) else "disabled")
            status = status if units.is_enabled(name) else 1
    return status


async def _change(call: Call, verb: str, name: str, *, now: bool) -> int:
    units = call.switch.units
    if verb == "enable":
        units.enable(name)
        call.error.append(f"Created symlink /etc/systemd/system/timers.target.wants/{name}.\n")
    if verb == "disable":
        units.disable(name)
    if verb == "stop" or (verb == "disable" and now):
        units.stop(name)
    if verb in {"start", "restart"} or (verb == "enable" and now):
        if name.endswith(".service"):
            return 0 if await units.start_service(name) else call.fail(f"Job for {name} failed.")
        units.start(name)
    if verb not in {"enable", "disable", "start", "stop", "restart"}:
        return call.fail(f"Unknown command verb '{verb}'.")
    return 0


async def reboot(call: Call) -> int:
    """Restart the switch."""
    if not call.root:
        return call.fail("Root privileges are needed to reboot")
    call.switch.reboot()
    return 0


async def date(call: Call) -> int:
    """Print the switch's date and time."""
    form = next((word[1:] for word in call.arguments[1:] if word.startswith("+")), "%a %d %b %Y %H:%M:%S %p UTC")
    now = call.switch.clock.utc()
    call.print(now.strftime(form.replace("%s", str(int(call.switch.clock.now())))))
    return 0


async def df(call: Call) -> int:
    """Print how much room the disk has."""
    free = call.switch.files.free_bytes() // 1024
    if any(word.startswith("--output=avail") for word in call.arguments):
        call.print("  Avail")
        call.print(str(free))
        return 0
    total = 32 * 1024**2
    call.print("Filesystem     1K-blocks     Used Available Use% Mounted on")
    call.print(f"root-overlay    {total} {total - free}  {free} {100 - 100 * free // total}% /")
    return 0


async def uptime(call: Call) -> int:
    """Print how long the switch has been up."""
    booted = call.switch.booted_at
    if call.arguments[1:] == ("-s",):
        call.print(call.switch.clock.utc().fromtimestamp(booted, call.switch.clock.utc().tzinfo).strftime("%F %T"))
    else:
        minutes = int(call.switch.clock.now() - booted) // 60
        call.print(f" up {minutes} min,  1 user,  load average: 0.10, 0.10, 0.10")
    return 0


async def hostname(call: Call) -> int:
    """Print the host name."""
    call.print(call.switch.host_name)
    return 0


async def whoami(call: Call) -> int:
    """Print the name of the user."""
    call.print(call.user)
    return 0


async def identity(call: Call) -> int:
    """Print the numbers of user and groups (id)."""
    call.print(
        "uid=0(root) gid=0(root)" if call.root else f"uid=1000({call.user}) gid=1000({call.user}) groups=27(sudo)"
    )
    return 0


async def sleep(call: Call) -> int:
    """Lab time passes for this switch alone; real time does not."""
    call.switch.clock.pass_time(float(call.arguments[1]) if len(call.arguments) > 1 else 0.0)
    await asyncio.sleep(0)
    return 0


async def uname(call: Call) -> int:
    """Print the kernel's name and release."""
    call.print("Linux" if len(call.arguments) == 1 else f"Linux {call.switch.host_name} 5.10.0-18-2-amd64 x86_64")
    return 0


PROGRAMS: Mapping[str, Program] = {
    **{program.__name__: program for program in (systemctl, reboot, date, df, uptime, hostname, whoami, sleep, uname)},
    "id": identity,
}
