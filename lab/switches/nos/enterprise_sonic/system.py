"""Enterprise SONiC on one switch: its configuration, where it is stored, what it means."""

from collections.abc import Iterable

from lab.spec.models import SwitchSpec
from lab.switches.device_state import DeviceState
from lab.switches.file_system import FileSystemError
from lab.switches.forwarding import Forwarding
from lab.switches.machine import Machine
from lab.switches.nos.enterprise_sonic import lossless, ports
from lab.switches.nos.enterprise_sonic.configured_state import device_state, host_name
from lab.switches.nos.enterprise_sonic.forwarding import forwarding
from lab.switches.nos.enterprise_sonic.grammar import modes
from lab.switches.nos.enterprise_sonic.interpreter import BackEndRefusedError, SyntaxRefusedError, apply, context, find
from lab.switches.nos.enterprise_sonic.rule import Ask
from lab.switches.nos.enterprise_sonic.running import render
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration, Path

STARTUP_FILE = "/etc/sonic/config_db.json"
"""What ``write memory`` writes and a boot reads."""
EDITION = "Enterprise_Premium"
SOFTWARE_VERSION = f"4.5.0-{EDITION}"
_USER = "username admin password $6$lab$J0bRe8aBdRYWC2tQyGb0T1 role admin"


class EnterpriseSonic:
    """The NOS of one switch."""

    def __init__(self, switch: Machine) -> None:
        self.switch = switch
        self.configuration = Configuration(Block("config"), switch.configuration_changed)
        self._text: tuple[int, str] = (-1, "")
        self._state: tuple[int, DeviceState] | None = None
        self._forwarding: tuple[int, Forwarding] | None = None

    @property
    def spec(self) -> SwitchSpec:
        """The hardware."""
        return self.switch.spec

    @property
    def host_name(self) -> str:
        """Host name as configured."""
        return host_name(self.configuration)

    @property
    def lossless(self) -> bool:
        """Whether the switch is in lossless mode."""
        lines = self.configuration.root.lines
        return lossless.ROCE in lines or lossless.BUFFER in lines

    @property
    def state(self) -> DeviceState:
        """Configured state of ports and BGP; computed once per configuration."""
        if self._state is None or self._state[0] != self.configuration.version:
            self._state = (self.configuration.version, device_state(self.configuration, self.spec))
        return self._state[1]

    @property
    def forwarding(self) -> Forwarding:
        """How the configuration forwards packets; computed once per configuration."""
        if self._forwarding is None or self._forwarding[0] != self.configuration.version:
            self._forwarding = (self.configuration.version, forwarding(self.configuration, self.state))
        return self._forwarding[1]

    def login_prompt(self) -> str:
        """Return bash's prompt."""
        return f"admin@{self.host_name}:~$ "

    # --- life of a configuration --------------------------------------------------------------------------------

    def install(self) -> None:
        """Write the factory configuration with a name and an address from the console."""
        self.configuration.root = Block("config")
        self.configuration.root.children.update(ports.factory_ports(self.spec))
        self.type_block(self._console())
        self.save()

    def _console(self) -> Iterable[str]:
        yield f"hostname {self.spec.name}"
        yield "interface-naming standard"
        yield _USER
        if self.spec.management_address is not None:
            yield "interface Management 0"
            gateway = f" gwaddr {self.spec.management_gateway}" if self.spec.management_gateway else ""
            yield f"ip address {self.spec.management_address}{gateway}"

    def boot(self) -> None:
        """Put the startup file into force; ports made in lossless mode come into use (RoCE design, 2.2.9)."""
        self.configuration.load(self.switch.files.read(STARTUP_FILE))
        for key, block in tuple(self.configuration.blocks("ethernet")):
            if block.facts["usable"] == "no":
                block.facts["usable"] = "yes"
                if lossless.ROCE in self.configuration.root.lines:
                    self.type_block([key, *lossless.port_lines(self.priorities)])

    @property
    def priorities(self) -> list[int]:
        """The two priorities of ``roce enable``."""
        chosen = self.configuration.root.argument(lossless.ROCE) or ""
        return [int(text) for text in chosen.split(",")] if "," in chosen else [3, 4]

    def save(self) -> None:
        """``write memory``.

        Raises
        ------
        FileSystemError
            The disk is full.
        """
        self.write_to(STARTUP_FILE)

    def write_to(self, path: str) -> None:
        """Write the configuration in force into a file.

        Raises
        ------
        FileSystemError
            The disk is full.
        """
        self.switch.files.write(path, self.configuration.dump())

    def save_and_reboot(self) -> str:
        """Save and reboot, as changes of the buffer mode do; return what is printed when saving fails."""
        self.configuration.touch()
        self.switch.note_change()
        try:
            self.save()
        except FileSystemError as error:
            self.configuration.load(self.switch.files.read(STARTUP_FILE))
            return f"%Error: {error}"
        self.switch.reboot()
        return ""

    def running_configuration(self) -> str:
        """Return what ``show running-configuration`` prints."""
        if self._text[0] != self.configuration.version:
            self._text = (self.configuration.version, render(self.configuration.root))
        return self._text[1]

    # --- lines ----------------------------------------------------------------------------------------------------

    async def enter(self, line: str, path: Path, ask: Ask) -> tuple[str, Path]:
        """Carry out a configuration line; return what is printed and the path of the mode after it.

        Raises
        ------
        SyntaxRefusedError
            Klish does not know the line.
        BackEndRefusedError
            The back end refuses it.
        """
        found = find(self.configuration, line, path)
        if self.switch.fault_flags.refuses(line):
            raise BackEndRefusedError("operation failed")
        action = found.command.rule.action
        if action is None:
            after = apply(self, found)
            self.switch.note_change()
            return "", after
        printed = await action(context(self, found, ask))
        self.switch.note_change()
        return printed, found.path

    def type_block(self, lines: Iterable[str]) -> None:
        """Carry out lines that are known to be right, beginning in configuration mode."""
        path: Path = ()
        for line in lines:
            path = path[:-1] if line == "exit" else apply(self, find(self.configuration, line, path))

    async def type_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Type configuration lines at the console; return the answers to the refused ones."""
        path: Path = ()
        refused: list[str] = []
        for line in (text.strip() for text in lines):
            if line in {"", "!"}:
                continue
            if line in {"exit", "end"}:
                path = path[:-1] if line == "exit" else ()
                continue
            try:
                printed, path = await self.enter(line, path, _yes)
            except (SyntaxRefusedError, BackEndRefusedError) as error:
                refused.append(f"{line}: {error}")
            else:
                refused.extend(f"{line}: {printed}" for _ in [None] if printed.startswith("%Error"))
        return tuple(refused)

    def pfc_lines(self, port: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines that switch PFC off on a port, and those that restore its present setting."""
        priorities = sorted(self.forwarding.ports[port].qos.lossless)
        lines = tuple(f"priority-flow-control priority {one}" for one in priorities)
        inside = f"interface {port}"
        return (inside, *(f"no {line}" for line in lines), "exit"), (inside, *lines, "exit")

    def prompt(self, path: Path) -> str:
        """Return the part of the prompt between host name and ``#`` in configuration mode."""
        block = self.configuration.block(path) or self.configuration.root
        return modes()[block.mode].prompt.format(**block.facts)


async def _yes(_question: str) -> str:
    return "y"
