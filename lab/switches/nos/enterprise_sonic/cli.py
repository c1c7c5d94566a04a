"""``sonic-cli``: Klish, on a terminal or with one command."""

from lab.switches.nos.enterprise_sonic.executive import run_executive
from lab.switches.nos.enterprise_sonic.interpreter import BackEndRefusedError, SyntaxRefusedError
from lab.switches.nos.enterprise_sonic.system import EnterpriseSonic
from lab.switches.nos.enterprise_sonic.tree import Path
from lab.switches.nos.enterprise_sonic.words import split
from lab.switches.shell.call import Terminal

_PAGE_LINES = 24
"""Lines a page before ``terminal length`` is set."""


class Klish:
    """One run of sonic-cli."""

    def __init__(self, system: EnterpriseSonic, terminal: Terminal | None) -> None:
        self._system = system
        self._terminal = terminal
        self._name = system.host_name.partition(".")[0]
        """The prompt keeps the name the host had when sonic-cli was started (clish_start)."""
        self._path: Path | None = None
        """None outside configuration mode."""
        self.page_lines = _PAGE_LINES if terminal is not None else 0
        self.ended = False

    @property
    def prompt(self) -> str:
        """The prompt of the present mode."""
        mode = "" if self._path is None else self._system.prompt(self._path)
        return f"{self._name}{mode}# "

    async def converse(self, terminal: Terminal) -> None:
        """Read and run lines until the user leaves."""
        while not self.ended:
            line = await terminal.read_line(self.prompt)
            if line is None:
                return
            await terminal.write(await self.run(line))

    async def run(self, line: str) -> str:
        """Run one line and return what is printed."""
        stripped = line.strip()
        if not stripped or stripped.startswith("!"):
            return ""
        try:
            if self._path is None:
                return await self._executive(stripped)
            return await self._configure(stripped)
        except SyntaxRefusedError as error:
            return self._caret(line, error)
        except BackEndRefusedError as error:
            return f"% Error: {error}\n"

    def _caret(self, line: str, error: SyntaxRefusedError) -> str:
        """The marker stands under the first word that does not fit, counted from the left edge of the screen."""
        if error.column is None:
            return f"% Error: {error.message}\n"
        indent = len(line) - len(line.lstrip())
        return f"{' ' * (len(self.prompt) + indent + error.column)}^\n% Error: {error.message}\n"

    async def _executive(self, line: str) -> str:
        if line == "exit":
            self.ended = True
            return ""
        words = [word.text for word in split(line)]
        if words in (["configure"], ["configure", "terminal"]):
            self._path = ()
            return ""
        if words[:2] == ["terminal", "length"] and len(words) == 3 and words[2].isdigit():
            self.page_lines = int(words[2])
            return ""
        return await self._page(await run_executive(self._system, line, self._ask))

    async def _configure(self, line: str) -> str:
        path = self._path or ()
        if line == "end":
            self._path = None
            return ""
        if line == "exit":
            self._path = path[:-1] if path else None
            return ""
        if line.startswith("do "):
            return await self._page(await run_executive(self._system, line.removeprefix("do ").strip(), self._ask))
        if self._system.configuration.block(path) is None:
            path = ()
        printed, self._path = await self._system.enter(line, path, self._ask)
        if self._terminal is not None:
            self._system.switch.fault_flags.count_line(self._terminal.drop)
        return f"{printed}\n" if printed else ""

    async def _ask(self, question: str) -> str:
        """Without a terminal the answer is no (sonic-cli reads it from the controlling terminal)."""
        if self._terminal is None:
            return "N"
        return await self._terminal.read_line(question) or ""

    async def _page(self, text: str) -> str:
        """Stop after every page, on a terminal that has pages."""
        if self._terminal is None or not self.page_lines:
            return text
        lines = text.splitlines(keepends=True)
        while len(lines) > self.page_lines:
            await self._terminal.write("".join(lines[: self.page_lines]))
            lines = lines[self.page_lines :]
            answer = await self._terminal.read_line("--more--")
            if answer is None or answer.strip().lower().startswith("q"):
                return ""
        return "".join(lines)
