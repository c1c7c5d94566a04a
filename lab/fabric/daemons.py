"""The daemons of one switch's namespace: zebra and bgpd while BGP is configured, lldpd while there is power."""

import asyncio
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from lab.fabric.command import FabricError
from lab.fabric.frr import BgpStatements, change
from lab.fabric.vty import Vty

_FRR: Final = "/usr/lib/frr"
_FRR_USER: Final = "frr"
_ZEBRA_TEXT: Final = (
    # Without it the kernel's group of next hops keeps one of two for minutes after a link came back (FRR 8.4.4).
    "no zebra nexthop kernel enable\n"
)
_START_S: Final = 10.0
_END_S: Final = 3.0
_POLL_S: Final = 0.01


class Daemon:
    """One process in a namespace."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @classmethod
    async def start(cls, namespace: str, log: Path, *words: str) -> "Daemon":
        """Start a program in a namespace."""
        with log.open("ab") as out:
            process = await asyncio.create_subprocess_exec(
                *("ip", "netns", "exec", namespace, *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        return cls(process, log)

    async def answers_at(self, socket: Path) -> None:
        """Wait until its socket exists.

        Raises
        ------
        FabricError
            It ended, or the time is over.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _START_S
        while not os.path.exists(socket):  # noqa: ASYNC240, PTH110 one look at a local file
            if self._process.returncode is not None or loop.time() > deadline:
                raise FabricError(f"{socket.name} did not come up", f"see {self._log}")
            await asyncio.sleep(_POLL_S)

    async def end(self) -> None:
        """End it and wait for its end."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), _END_S)
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class Frr:
    """Zebra and bgpd of one switch."""

    def __init__(self, namespace: str, folder: Path) -> None:
        self._namespace = namespace
        self._folder = folder
        self._running: list[Daemon] = []
        self._configured = BgpStatements()

    @property
    def up(self) -> bool:
        """Whether zebra and bgpd run."""
        return len(self._running) == 2

    async def apply(self, bgp_statements: BgpStatements) -> tuple[str, ...]:
        """Configure BGP; return the lines that bgpd refused.

        Raises
        ------
        FabricError
            A daemon did not start, or closed the connection.
        """
        if bgp_statements.asn is None:
            await self.end()
            return ()
        if not self.up:
            await self._start()
        lines = tuple(change(self._configured, bgp_statements))
        if not lines:
            return ()
        async with Vty(self._folder / "bgpd.vty") as vty:
            refused = await vty.configure(lines)
        self._configured = bgp_statements
        return refused

    async def _start(self) -> None:
        await self.end()
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.chown(self._folder, _FRR_USER, _FRR_USER)
        for name, text, socket in (("zebra", _ZEBRA_TEXT, "zserv.api"), ("bgpd", "", "bgpd.vty")):
            file = self._folder / f"{name}.conf"
            file.write_text(text, "utf-8")
            (self._folder / socket).unlink(missing_ok=True)
            shutil.chown(file, _FRR_USER, _FRR_USER)
            words = (f"{_FRR}/{name}", "-f", str(file), "-u", _FRR_USER, "-g", _FRR_USER, "-P", "0")
            sockets = ("--vty_socket", str(self._folder), "-z", str(self._folder / "zserv.api"))
            pid_file = ("-i", str(self._folder / f"{name}.pid"))
            log = self._folder / f"{name}.log"
            daemon = await Daemon.start(self._namespace, log, *words, *sockets, *pid_file)
            self._running.append(daemon)
            await daemon.answers_at(self._folder / socket)

    async def end(self) -> None:
        """End both; sessions and routes are lost."""
        self._configured = BgpStatements()
        for daemon in reversed(self._running):
            await daemon.end()
        self._running.clear()

    async def ask(self, command: str) -> str:
        """Return the output of a command of bgpd; empty when it does not run."""
        if not self.up:
            return ""
        async with Vty(self._folder / "bgpd.vty") as vty:
            return (await vty.run(command))[0]


class Lldp:
    """The LLDP daemon of one switch."""

    def __init__(self, namespace: str, folder: Path) -> None:
        self._namespace = namespace
        self._folder = folder
        self._running: Daemon | None = None
        self.configured: tuple[str, ...] = ()
        """Commands in force."""

    @property
    def socket(self) -> Path:
        """Path of its control socket."""
        return self._folder / "lldpd.sock"

    @property
    def up(self) -> bool:
        """Whether it runs."""
        return self._running is not None

    async def start(self) -> None:
        """Start it unless it runs.

        Raises
        ------
        FabricError
            It did not start.
        """
        if self._running is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        self.socket.unlink(missing_ok=True)
        words = ("lldpd", "-d", "-u", str(self.socket), "-I", "Eth*,swp*")
        self._running = await Daemon.start(self._namespace, self._folder / "lldpd.log", *words)
        await self._running.answers_at(self.socket)

    async def end(self) -> None:
        """End it."""
        self.configured = ()
        if self._running is not None:
            await self._running.end()
        self._running = None
