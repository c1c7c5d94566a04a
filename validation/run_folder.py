"""The folder of one validation: raw answers, logs, and the run itself once it has ended."""

import os
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers, Fact, FactError
from rackproof.facts.hosts.recording import answers_of, recording_of
from rackproof.paths import latest_validation, validation_folder

T = TypeVar("T")

RUN_FILE: Final = "run.json"
INPUTS: Final = "inputs"
DEVICES_KEPT: Final = 16
"""Devices whose answers stay in memory: tests run device by device."""


class Silence(msgspec.Struct, frozen=True):
    """Why a device has no answers."""

    silent: str
    hint: str = ""


@dataclass(frozen=True)
class RunFolder:
    """One validation's folder, ``build/<site>/validation/<start>/``."""

    path: Path
    _answers: "OrderedDict[str, Answers]" = field(default_factory=OrderedDict)
    _facts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def inputs(self) -> Path:
        """The files that the run is held against, as they were."""
        return self.path / INPUTS

    @property
    def logs(self) -> Path:
        """Raw output of live runs."""
        return self.path / "logs"

    @property
    def run_file(self) -> Path:
        """The run, written at its end."""
        return self.path / RUN_FILE

    def log_of(self, device: str) -> str:
        """Return the file of a device's answers, as results name it."""
        return f"facts/{device}.json"

    def keep(self, device: str, found: Answers | RackproofError) -> None:
        """Write what a device answered, or why it did not."""
        if isinstance(found, RackproofError):
            text = msgspec.json.encode(Silence(found.message, found.hint))
        else:
            text = recording_of(found)
        (self.path / self.log_of(device)).write_bytes(text)

    def was_asked(self, device: str) -> bool:
        """Whether anything is known of it: its answers, or why there are none."""
        return (self.path / self.log_of(device)).is_file()

    def silence(self, device: str) -> Silence | None:
        """Return why a device gave no answers; None: it gave some."""
        if not self.was_asked(device):
            return Silence("it was not asked")
        try:
            return msgspec.json.decode((self.path / self.log_of(device)).read_bytes(), type=Silence)
        except msgspec.ValidationError:
            return None

    def answers(self, device: str) -> Answers:
        """Return what a device answered.

        Raises
        ------
        FactError
            It did not answer.
        """
        if device not in self._answers:
            if silence := self.silence(device):
                raise FactError(f"{device} did not answer: {silence.silent}", silence.hint)
            self._answers[device] = answers_of((self.path / self.log_of(device)).read_bytes())
            self._facts[device] = {}
            if len(self._answers) > DEVICES_KEPT:
                forgotten, _ = self._answers.popitem(last=False)
                del self._facts[forgotten]
        return self._answers[device]

    def fact(self, device: str, fact: Fact[T]) -> T:
        """Return a fact of a device, read once.

        Raises
        ------
        FactError
            It did not say.
        """
        answers = self.answers(device)
        known = self._facts[device]
        if fact.name not in known:
            try:
                known[fact.name] = fact.parse(answers)
            except ValueError as error:
                raise FactError(f"{fact.name} of {device} cannot be read: {error}") from error
        found: T = known[fact.name]
        return found


def new_run_folder(site: str, started: datetime) -> RunFolder:
    """Make the folder of a validation that starts now."""
    parent, start = validation_folder(site), f"{started:%Y%m%dT%H%M%SZ}"
    names = chain([start], (f"{start}-{number}" for number in count(2)))
    path = next(parent / name for name in names if not (parent / name).exists())
    for name in ("facts", "logs", INPUTS):
        (path / name).mkdir(parents=True)
    return RunFolder(path)


def point_latest_to(site: str, run: RunFolder) -> None:
    """Make ``latest`` lead to a run that is whole."""
    link = latest_validation(site)
    unfinished = link.with_name(f".latest.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    unfinished.symlink_to(run.path.name)
    unfinished.replace(link)


def write_atomically(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file as a whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("wb") as file:
        file.writelines(pieces)
    unfinished.replace(path)
