"""A session on a lab switch: one command, or a login shell on a terminal."""

import asyncio
import re

import asyncssh

from lab.switches.switch import LabSwitch

_SPECIAL = re.compile(r"[\x00-\x1f\x7f]")
_ENDS = frozenset({"\r", "\n"})
_ERASE = frozenset({"\x7f", "\x08"})
_INTERRUPT = "\x03"
_END_OF_INPUT = "\x04"


class Pty:
    """A terminal: echoes input and returns it line by line."""

    def __init__(self, switch: LabSwitch, process: asyncssh.SSHServerProcess[str]) -> None:
        self._switch = switch
        self._process = process
        self._typed = ""
        self._after_return = False
        self._dropped = False
        self._boot_id = switch.boot_id

    @property
    def _alive(self) -> bool:
        """Whether the session still reads input; one that was cut does not."""
        return not self._dropped and self._switch.power == "up" and self._switch.boot_id == self._boot_id

    async def write(self, text: str) -> None:
        """Print text as a terminal wants it."""
        if text and self._alive:
            self._process.stdout.write(text.replace("\n", "\r\n"))
            await self._process.stdout.drain()

    async def read_line(self, prompt: str) -> str | None:
        """Print ``prompt`` and return the line typed; None at the end of input."""
        if self._switch.fault_flags.answer_delay_s:
            await asyncio.sleep(self._switch.fault_flags.answer_delay_s)
        await self.write(prompt)
        line = ""
        while self._alive:
            if not self._typed and not await self._read():
                return None
            match = _SPECIAL.search(self._typed)
            plain = self._typed[: match.start()] if match else self._typed
            self._typed = self._typed[match.end() if match else len(plain) :]
            line += plain
            self._process.stdout.write(plain)
            character = match.group() if match else ""
            if character in _ENDS:
                await self.write("\n")
                return line
            if character == _END_OF_INPUT and not line:
                return None
            line = await self._edit(line, character, prompt)
        return None

    async def _read(self) -> bool:
        """Wait for input; a line feed after a carriage return is the same line end."""
        chunk = await self._process.stdin.read(4096)
        self._typed = chunk.replace("\r\n", "\r")
        if self._after_return:
            self._typed = self._typed.removeprefix("\n")
        self._after_return = chunk.endswith("\r")
        return bool(chunk)

    async def _edit(self, line: str, character: str, prompt: str) -> str:
        """Return the line after an editing key; unknown control characters do nothing."""
        if character == _INTERRUPT:
            await self.write(f"^C\n{prompt}")
            return ""
        if character in _ERASE and line:
            await self.write("\b \b")
            return line[:-1]
        return line

    def drop(self) -> None:
        """Cut the connection."""
        self._dropped = True
        connection = self._process.get_extra_info("connection")
        connection.abort()


class Session:
    """One SSH channel: a command or a login shell."""

    def __init__(self, switch: LabSwitch, process: asyncssh.SSHServerProcess[str]) -> None:
        self._switch = switch
        self._process = process

    async def run(self) -> None:
        """Run the command that was asked for, or a login shell, and end the channel."""
        try:
            status = await (self._command(self._process.command) if self._process.command else self._login())
        except (asyncssh.Error, ConnectionError, BrokenPipeError):
            return  # the connection was cut, by us or by the client
        if not self._process.is_closing():
            self._process.exit(status)

    async def _command(self, line: str) -> int:
        terminal = Pty(self._switch, self._process) if self._process.term_type else None
        if self._switch.fault_flags.answer_delay_s:
            await asyncio.sleep(self._switch.fault_flags.answer_delay_s)
        outcome = await self._switch.shell.run(line, stdin=self._process.stdin.read, terminal=terminal)
        if self._process.is_closing():
            return outcome.status
        if terminal is None:
            self._process.stdout.write(outcome.out)
            self._process.stderr.write(outcome.error)
            await self._process.stdout.drain()
        else:
            await terminal.write(outcome.out + outcome.error)
        return outcome.status

    async def _login(self) -> int:
        terminal = Pty(self._switch, self._process)
        await terminal.write(f"Linux {self._switch.nos.host_name} 5.10.0-18-2-amd64 #1 SMP Debian x86_64\n")
        status = 0
        while (line := await terminal.read_line(self._switch.nos.login_prompt())) is not None:
            if line.strip() in {"exit", "logout"}:
                return status
            outcome = await self._switch.shell.run(line, terminal=terminal)
            status = outcome.status
            await terminal.write(outcome.out + outcome.error)
        return status
