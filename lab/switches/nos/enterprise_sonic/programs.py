"""The programs of Enterprise SONiC in the shell: ``sonic-cli`` and SONiC's own ``config``."""

from collections.abc import Mapping
from functools import partial

from lab.switches.file_system import FileSystemError
from lab.switches.nos.enterprise_sonic.cli import Klish
from lab.switches.nos.enterprise_sonic.system import STARTUP_FILE, EnterpriseSonic
from lab.switches.shell.call import Call, Program


async def _sonic_cli(system: EnterpriseSonic, call: Call) -> int:
    """``sonic-cli`` on a terminal, ``sonic-cli -c COMMAND [-c COMMAND ...]`` without."""
    if call.root:
        return call.fail("FATAL: root cannot launch CLI")
    commands = _commands(call)
    klish = Klish(system, call.terminal)
    if commands is None:
        return call.fail("sonic-cli: unknown option", 1)
    if not commands and call.terminal is not None:
        await klish.converse(call.terminal)
        return 0
    lines = commands or (await call.stdin()).splitlines()
    if commands and call.terminal is None and commands[0].strip() in {"configure", "configure terminal"}:
        return 0  # sub-modes need a terminal: lines given with -c leave no trace there
    for line in lines:
        call.out.append(await klish.run(line))
    return 0


def _commands(call: Call) -> list[str] | None:
    """Return the commands given with ``-c``; None for an option that is not known."""
    words = call.arguments[1:]
    if any(option != "-c" for option in words[::2]) or len(words) % 2:
        return None
    return list(words[1::2])


async def _config(system: EnterpriseSonic, call: Call) -> int:
    """``config save -y [FILE]`` and ``config reload -y [FILE]`` (sonic-utilities, Command-Reference)."""
    words = [word for word in call.arguments[1:] if not word.startswith("-")]
    if not call.root:
        return call.fail("Root privileges are required for this operation")
    verb, path = words[0] if words else "", words[1] if len(words) > 1 else STARTUP_FILE
    try:
        if verb == "save":
            system.write_to(path)
            return 0
        if verb == "reload":
            system.configuration.load(call.switch.files.read(path))
            return 0
    except FileSystemError as error:
        return call.fail(f"config {verb}: {path}: {error}")
    return call.fail("Usage: config [OPTIONS] COMMAND [ARGS]...", 2)


def programs(system: EnterpriseSonic) -> Mapping[str, Program]:
    """Return the programs of a switch."""
    return {"sonic-cli": partial(_sonic_cli, system), "config": partial(_config, system)}
