"""The folder of one validation: raw answers, logs, and the run itself once it has ended."""

import os
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from rackproof.connect.errors import DeviceError
from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers, Fact, FactError
from rackproof.facts.hosts.recording import decode_answers, encode_answers
from rackproof.paths import RUN_FACTS, RUN_FILE, RUN_INPUTS, RUN_LOGS, latest_validation, validation_folder

T = TypeVar("T")

DEVICES_KEPT: Final = 16
"""Devices whose answers stay in memory: tests run device by device."""


class NoAnswer(msgspec.Struct, frozen=True):
    """Why a device has no answers."""

    silent: str
    hint: str = ""


def _read(text: bytes) -> Answers | NoAnswer:
    """Return what a file says of a device."""
    try:
        return decode_answers(text)
    except ValueError as other:
        try:
            return msgspec.json.decode(text, type=NoAnswer)
        except ValueError:
            return NoAnswer(f"its file of answers cannot be read: {other}", "gather its facts again")


@dataclass(frozen=True)
class RunFolder:
    """One validation's folder, ``build/<site>/validation/<start>/``."""

    path: Path
    _known: "OrderedDict[str, Answers | NoAnswer]" = field(default_factory=OrderedDict)
    _facts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def inputs(self) -> Path:
        """The files that the run is held against, as they were."""
        return self.path / RUN_INPUTS

    @property
    def logs(self) -> Path:
        """Raw output of live runs."""
        return self.path / RUN_LOGS

    @property
    def run_file(self) -> Path:
        """The run, written at its end."""
        return self.path / RUN_FILE

    def log_name(self, device: str) -> str:
        """Return the file of a device's answers, as results name it."""
        return f"{RUN_FACTS}/{device}.json"

    def write_answers(self, device: str, found: Answers | RackproofError) -> None:
        """Write what a device answered, or why it did not."""
        if isinstance(found, RackproofError):
            why = found.cause if isinstance(found, DeviceError) else found.message
            text = msgspec.json.encode(NoAnswer(why, found.hint))
        else:
            text = encode_answers(found)
        (self.path / self.log_name(device)).write_bytes(text)

    def was_asked(self, device: str) -> bool:
        """Whether anything is known of it: its answers, or why there are none."""
        return (self.path / self.log_name(device)).is_file()

    def no_answer(self, device: str) -> NoAnswer | None:
        """Return why a device gave no answers; None: it gave some."""
        said = self._recorded(device)
        return said if isinstance(said, NoAnswer) else None

    def answers(self, device: str) -> Answers:
        """Return what a device answered.

        Raises
        ------
        FactError
            It did not answer.
        """
        said = self._recorded(device)
        if isinstance(said, NoAnswer):
            raise FactError(f"{device} did not answer: {said.silent}", said.hint)
        return said

    def _recorded(self, device: str) -> Answers | NoAnswer:
        """Return what is kept of a device, read once."""
        if device not in self._known:
            if not self.was_asked(device):
                return NoAnswer("it was not asked")
            self._known[device] = _read((self.path / self.log_name(device)).read_bytes())
            self._facts[device] = {}
            if len(self._known) > DEVICES_KEPT:
                forgotten, _ = self._known.popitem(last=False)
                del self._facts[forgotten]
        return self._known[device]

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
    for name in (RUN_FACTS, RUN_LOGS, RUN_INPUTS):
        (path / name).mkdir(parents=True)
    return RunFolder(path)


def point_latest_to(site: str, run: RunFolder) -> None:
    """Make ``latest`` lead to a run that is whole."""
    link = latest_validation(site)
    unfinished = link.with_name(f".latest.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    unfinished.symlink_to(run.path.name)
    unfinished.replace(link)
