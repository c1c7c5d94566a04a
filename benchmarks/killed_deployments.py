"""Kills deployments at random moments and shows that none is taken as finished while its switch is about to go back.

usage: python benchmarks/killed_deployments.py [--runs N] [--nos NOS] [--phase TEXT] [--seed N] [--json FILE]

A lab of each NOS runs in a process of its own, and one of its switches is deployed. Each run types a change by hand and
saves it, starts `rackproof up` as a process of its own and ends it by SIGKILL, SIGTERM, SIGHUP or SIGINT in turn, at a
moment drawn evenly from the time that a deployment takes, or that it takes from one phase on. Then the switch is read
over a connection of its own, `rackproof diff` compares it, and one further `rackproof up` follows. Exit status 1 where
`diff` or `up` ended with status 0 while a return was armed, or where one further command did not bring the switch to
its intent, saved and with no return armed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.report import machine
from lab.daemon import client
from lab.spec.from_plan import lab_site
from rackproof.connect.access import LoadedAccess, load_access
from rackproof.connect.ssh import shell
from rackproof.files import write_whole
from rackproof.paths import BUILD, build_folder
from rackproof.plan.from_file import plan_site
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER: Final = BUILD / "benchmarks" / "killed"
SWITCH: Final = "frontend-leaf-01"
SIGNALS: Final = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
COMMAND_S: Final = 300.0
"""Longest time of one command."""


class Nos(NamedTuple):
    """What the runs need to know of a NOS."""

    site: str
    """Name of a site of the inventory, whose frontend leaf runs the NOS."""
    drift: tuple[str, ...]
    """Lines typed by hand before each run; every one of them differs from the intent."""
    save: str
    """Command that saves them."""
    armed: str
    """Command that prints ``armed_word`` while a return is armed."""
    armed_word: str
    unsaved: str
    """Command that prints something where the startup configuration is not the running one."""
    left: str
    """Command that prints the files that a deployment left."""


EVERY_NOS: Final = {
    "enterprise-sonic": Nos(
        site="metrum-h200",
        drift=(
            *(line for port in range(1, 5) for line in (f"interface Eth1/1/{port}", "mtu 9000", "exit")),
            "ip route 192.0.2.128/25 10.20.0.9",
            "lldp timer 10",
        ),
        save="sudo config save -y",
        armed="systemctl is-active rackproof-return.timer || true",
        armed_word="active\n",
        unsaved="sudo config save -y /tmp/now && cmp /tmp/now /etc/sonic/config_db.json; sudo rm -f /tmp/now",
        left=(
            "ls -d /etc/sonic/rackproof /var/lib/rackproof.lock /etc/systemd/system/rackproof-return.timer"
            " /etc/systemd/system/rackproof-return.service 2>/dev/null; ls /run; true"
        ),
    ),
    "cumulus": Nos(
        site="dell-xe9680-spectrum-x",
        drift=(
            "nv set interface swp63 link mtu 9000",
            "nv set service lldp tx-interval 60",
            "nv set interface swp30-33 description stray",
            "nv unset service ntp",
        ),
        save="nv config save",
        armed="nv config revision -o json",
        armed_word='"confirm"',
        unsaved="nv config diff applied startup; nv config diff",
        left="ls /tmp",
    ),
}


@dataclass(frozen=True, slots=True)
class Ended:
    """One killed deployment and what followed."""

    nos: str
    signal: str
    after_s: float
    phase: str
    """The last progress that the deployment reported."""
    status: int
    """Exit status of the deployment; negative: the signal that ended it."""
    armed: bool
    """Whether a return was armed then."""
    diff: int
    up: int
    """Exit statuses of the commands that followed."""
    faults: tuple[str, ...]
    """What did not hold; empty: all of it."""


class Runs:
    """The runs on one NOS.

    Parameters
    ----------
    name
        Name of the NOS.
    site_file
        The site.
    access
        How its switches are reached.
    phase
        Start of the progress line from which on a deployment is ended; empty: the first one.
    """

    def __init__(self, name: str, site_file: Path, access: LoadedAccess, phase: str = "") -> None:
        self._phase = phase
        self.name = name
        self.nos = EVERY_NOS[name]
        self._words = (str(site_file), "--access", str(access.path), "--only", SWITCH)
        self._lab = access.path.parent
        self._target = access.target(SWITCH)
        self._temporary = self._lab.parent / "tmp"
        self._temporary.mkdir(exist_ok=True)

    def ask(self, command: str) -> str:
        """Return what the switch prints."""
        return asyncio.run(shell(self._target, command))

    def command(self, verb: str, *options: str) -> int:
        """Run a verb to its end and return its exit status."""
        with self.started(verb, *options) as process:
            return process.wait(COMMAND_S)

    @contextmanager
    def started(self, verb: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start a verb; its progress goes to `progress`."""
        program = [sys.executable, "-c", "from rackproof.cli import app; app()", verb, *self._words, *options]
        environment = {**os.environ, "TMPDIR": str(self._temporary)}
        with (
            self.log.open("wb") as log,
            subprocess.Popen(
                program,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                preexec_fn=hear_ctrl_c,  # noqa: PLW1509 no other thread runs here
            ) as process,
        ):
            yield process

    @property
    def log(self) -> Path:
        """What the last verb said on standard error."""
        return self._lab.parent / "progress"

    def progress(self) -> list[str]:
        """Return what the deployment did on the switch so far, one entry for each line of progress."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line.removeprefix(f"{SWITCH}: ") for line in lines if line.startswith(f"{SWITCH}: ")]

    def drift(self) -> None:
        """Change the switch by hand, and save that."""
        refused = client.edit(self._lab, SWITCH, self.nos.drift)
        if refused:
            raise SystemExit(f"{self.name}: refused: {refused}")
        self.ask(self.nos.save)

    def until_it_begins(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the deployment reports the phase from which on it is ended."""
        while not any(line.startswith(self._phase) for line in self.progress()) and process.poll() is None:
            time.sleep(0.005)

    def whole_s(self) -> float:
        """Return the seconds that an undisturbed deployment takes from its first progress to its end."""
        self.drift()
        with self.started("up", "--yes", "--allow-disruption") as process:
            self.until_it_begins(process)
            began = time.monotonic()
            while self.progress()[-1] != "changed" and process.poll() is None:
                time.sleep(0.005)
            took_s = time.monotonic() - began
            if process.wait(COMMAND_S):
                raise SystemExit(f"{self.name}: an undisturbed deployment ended with {process.returncode}")
            return took_s

    def one(self, ends: signal.Signals, after_s: float) -> Ended:
        """End one deployment by a signal, look at the switch, and finish it."""
        self.drift()
        with self.started("up", "--yes", "--allow-disruption") as process:
            self.until_it_begins(process)
            time.sleep(after_s)
            process.send_signal(ends)
            phase = (self.progress() or ["before the first step"])[-1]
            status = process.wait(COMMAND_S)
        armed = self.armed()
        diff = self.command("diff")
        up = self.command("up", "--yes", "--allow-disruption")
        faults = tuple(self.faults(diff, up, armed=armed))
        return Ended(self.name, ends.name, round(after_s, 3), general(phase), status, armed, diff, up, faults)

    def armed(self) -> bool:
        """Whether a return is armed, by what the switch itself says."""
        said = self.ask(self.nos.armed)
        return said == self.nos.armed_word or (self.nos.armed_word.startswith('"') and self.nos.armed_word in said)

    def faults(self, diff: int, up: int, *, armed: bool) -> Iterator[str]:
        """Yield what did not hold after a killed deployment and one further command."""
        if armed and diff == 0:
            yield "diff ended with 0 while a return was armed"
        if self.armed():
            yield f"a return is armed after a further up, which ended with {up}"
        if up:
            yield f"a further up ended with {up}: {self.log.read_text(encoding='utf-8', errors='replace')[-500:]}"
        if self.ask(self.nos.unsaved).strip():
            yield "the running configuration is not saved after a further up"
        if left := self.ask(self.nos.left).split():
            yield f"a further up left {left}"
        if files := [path.name for path in self._temporary.iterdir()]:
            yield f"temporary files remain: {files}"
            for name in files:
                (self._temporary / name).unlink()


def hear_ctrl_c() -> None:
    """Let SIGINT end a command, also where this program runs in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def general(phase: str) -> str:
    """Return a progress line without its figures."""
    start = phase.partition(":")[0]
    return start if len(start) < 60 else f"{start[:57]}..."


@contextmanager
def lab_of(name: str, phase: str = "") -> Iterator[Runs]:
    """Start the lab of a NOS with its switch deployed, yield its runs, and stop it."""
    nos, folder = EVERY_NOS[name], FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    site_file = folder / "site.yaml"
    site = f"killed-{name}"
    text = find_site(nos.site).read_text(encoding="utf-8").replace(f"site: {nos.site}", f"site: {site}", 1)
    site_file.write_text(text, encoding="utf-8")
    planned = plan_site(site_file)
    state = client.up(lab_site(planned.plan, planned.catalogue), folder / "lab")
    try:
        runs = Runs(name, site_file, load_access(state.access_file), phase)
        if runs.command("up", "--yes"):
            raise SystemExit(f"{name}: the first deployment failed: {runs.log.read_text(encoding='utf-8')}")
        yield runs
    finally:
        client.down(state.folder)
        shutil.rmtree(build_folder(site), ignore_errors=True)


def all_runs(name: str, number: int, seed: int, phase: str = "") -> tuple[Ended, ...]:
    """Return the killed deployments of one NOS; a line about each goes to standard error."""
    chance = random.Random(f"{seed} {name}")  # noqa: S311 a repeatable draw, no secret
    ended: list[Ended] = []
    with lab_of(name, phase) as runs:
        whole_s = runs.whole_s()
        for count in range(number):
            ended.append(runs.one(SIGNALS[count % len(SIGNALS)], chance.uniform(0, whole_s)))
            sys.stderr.write(f"{count + 1}/{number} {ended[-1]}\n")
            sys.stderr.flush()
    return tuple(ended)


def table_of_phases(ended: Sequence[Ended]) -> Table:
    """Return how many deployments each signal ended in each phase, and what followed."""
    names = [number.name for number in SIGNALS]
    table = Table("phase", *names, "return armed", "did not hold", title=title(ended), title_justify="left")
    for phase in dict.fromkeys(one.phase for one in sorted(ended, key=lambda one: one.after_s)):
        those = [one for one in ended if one.phase == phase]
        counts = Counter(one.signal for one in those)
        wrong = sum(bool(one.faults) for one in those)
        table.add_row(phase, *(str(counts[name]) for name in names), str(sum(one.armed for one in those)), str(wrong))
    return table


def title(ended: Sequence[Ended]) -> str:
    """Return the title of the table of one NOS."""
    return f"{len(ended)} deployments of {ended[0].nos} ended by a signal ({machine()})"


class Arguments(NamedTuple):
    """The command line."""

    runs: int
    nos: tuple[str, ...]
    phase: str
    seed: int
    json: Path | None


def arguments() -> Arguments:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Kill deployments at random moments, and see what is left.")
    parser.add_argument("--runs", type=int, default=150, help="deployments of each NOS (default: 150)")
    parser.add_argument("--nos", choices=EVERY_NOS, action="append", help="only this NOS; may be repeated")
    parser.add_argument(
        "--phase", default="", help="end deployments from this phase on: the start of its progress line"
    )
    parser.add_argument("--seed", type=int, default=14, help="of the random moments (default: 14)")
    parser.add_argument("--json", type=Path, help="also write every run to this file")
    parsed = parser.parse_args()
    return Arguments(parsed.runs, tuple(parsed.nos or EVERY_NOS), parsed.phase, parsed.seed, parsed.json)


def main() -> int:
    """Run and report."""
    options = arguments()
    ended = {name: all_runs(name, options.runs, options.seed, options.phase) for name in options.nos}
    for those in ended.values():
        Console(width=120).print(table_of_phases(those))
    everything = [one for those in ended.values() for one in those]
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.json, [json.dumps([asdict(one) for one in everything], indent=1).encode()])
    return 1 if any(one.faults for one in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
