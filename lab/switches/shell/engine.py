"""Runs command lines on a lab switch."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from lab.switches.file_system import FileSystemError
from lab.switches.machine import Machine, Outcome
from lab.switches.shell.call import Call, Input, Program, Terminal, no_input, text_input
from lab.switches.shell.syntax import Pipeline, Redirection, ShellSyntaxError, SimpleCommand, parse

NOT_FOUND = 127
FIRST_PROCESS = 4000
"""Number of the first process that a switch starts for a user."""


class Shell:
    """The shell of one switch: one set of programs, any number of sessions."""

    def __init__(self, switch: Machine, programs: Mapping[str, Program]) -> None:
        self._switch = switch
        self._programs = dict(programs)
        self._programs["sudo"] = self._sudo
        self._programs["sh"] = self._programs["bash"] = self._nested
        self._programs["flock"] = self._flock
        self._guards: dict[str, asyncio.Lock] = {}
        self._processes = count(FIRST_PROCESS)
        self._programs["command"] = self._builtin_command

    async def run(
        self, line: str, *, stdin: Input = no_input, root: bool = False, terminal: Terminal | None = None
    ) -> Outcome:
        """Run a command line and return what it printed and its exit status."""
        status = 0
        out: list[str] = []
        errors: list[str] = []
        try:
            pipelines = parse(
                line, {"HOME": self._switch.home, "USER": self._switch.user, "?": "0", "$": str(next(self._processes))}
            )
        except ShellSyntaxError as error:
            return Outcome(2, "", f"{error}\n")
        for pipeline in pipelines:
            if (pipeline.connector == "&&" and status) or (pipeline.connector == "||" and not status):
                continue
            outcome = await self._pipeline(pipeline, stdin, root=root, terminal=terminal)
            status = outcome.status
            out.append(outcome.out)
            errors.append(outcome.error)
        return Outcome(status, "".join(out), "".join(errors))

    async def _pipeline(self, pipeline: Pipeline, stdin: Input, *, root: bool, terminal: Terminal | None) -> Outcome:
        outcome, errors = Outcome(0, "", ""), ""
        for number, command in enumerate(pipeline.commands):
            last = number == len(pipeline.commands) - 1
            outcome = await self._command(command, stdin, root=root, terminal=terminal if last else None)
            stdin, errors = text_input(outcome.out), errors + outcome.error
        return Outcome(outcome.status, outcome.out, errors)

    async def _command(self, command: SimpleCommand, stdin: Input, *, root: bool, terminal: Terminal | None) -> Outcome:
        try:
            for redirection in command.redirections:
                stdin = self._input(redirection, stdin)
            if any(redirection.operator in {">", ">>", "1>", "1>>"} for redirection in command.redirections):
                terminal = None
            call = Call(self._switch, tuple(command.words), stdin, root, terminal)
            status = await self.start(call) if command.words else 0
            return self._redirect(command.redirections, call, status)
        except FileSystemError as error:
            target = command.redirections[-1].target if command.redirections else ""
            return Outcome(1, "", f"bash: {target}: {error}\n")

    def _input(self, redirection: Redirection, stdin: Input) -> Input:
        if redirection.operator == "<<":
            return text_input(redirection.target)
        return text_input(self._switch.files.read(redirection.target)) if redirection.operator == "<" else stdin

    def _redirect(self, redirections: list[Redirection], call: Call, status: int) -> Outcome:
        out, error = "".join(call.out), "".join(call.error)
        for redirection in redirections:
            if redirection.operator == "2>&1":
                out, error = out + error, ""
            elif redirection.operator in {"2>", "2>>"}:
                error = self._write(redirection, error, call)
            elif redirection.operator == "&>":
                out, error = self._write(redirection, out + error, call), ""
            elif redirection.operator in {">", ">>", "1>", "1>>"}:
                out = self._write(redirection, out, call)
        return Outcome(status, out, error)

    def _write(self, redirection: Redirection, text: str, call: Call) -> str:
        """Write a stream into a file; return the empty text that remains for the terminal."""
        if redirection.target != "/dev/null":
            files = self._switch.files
            append = redirection.operator.endswith(">>") and files.is_file(redirection.target)
            before = files.read(redirection.target) if append else ""
            files.write(redirection.target, before + text, root=call.root)
        return ""

    async def start(self, call: Call) -> int:
        """Start the program a call names."""
        name = call.arguments[0].rpartition("/")[2] if call.arguments[0].startswith("/") else call.arguments[0]
        program = self._programs.get(name)
        if program is None:
            return call.fail(f"bash: line 1: {call.arguments[0]}: command not found", NOT_FOUND)
        return await program(call)

    async def _sudo(self, call: Call) -> int:
        words = list(call.arguments[1:])
        root = True
        while words and words[0].startswith("-"):
            option = words.pop(0)
            if option in {"-u", "--user"} and words:
                root = words.pop(0) == "root"
        if not words:
            return call.fail("usage: sudo -h | -K | -k | -V")
        return await self.start(replace(call, arguments=tuple(words), root=root))

    async def _nested(self, call: Call) -> int:
        if len(call.arguments) < 3 or call.arguments[1] != "-c":
            return call.fail(f"{call.arguments[0]}: only -c is supported here", 2)
        outcome = await self.run(call.arguments[2], stdin=call.stdin, root=call.root, terminal=call.terminal)
        call.out.append(outcome.out)
        call.error.append(outcome.error)
        return outcome.status

    async def _flock(self, call: Call) -> int:
        """``flock [-w SECONDS] FILE COMMAND ...``: run a command while no other one holds the file or folder."""
        words = list(call.arguments[1:])
        if words[:1] == ["-w"]:
            words = words[2:]
        if len(words) < 2:
            return call.fail("flock: requires a file descriptor, file or directory", 64)
        async with self._guards.setdefault(words[0], asyncio.Lock()):
            return await self.start(replace(call, arguments=tuple(words[1:])))

    async def _builtin_command(self, call: Call) -> int:
        """``command -v NAME``: where a program is."""
        if len(call.arguments) == 3 and call.arguments[1] == "-v" and call.arguments[2] in self._programs:
            call.print(f"/usr/bin/{call.arguments[2]}")
            return 0
        return 1
