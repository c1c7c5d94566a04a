"""Look up catalogue entries: found by file name, read when first asked for, kept afterwards."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

import yaml12
from pydantic import ValidationError

from rackproof.errors import BadInputError
from rackproof.hardware.models import (
    CableModel,
    CordModel,
    Entry,
    LicenceModel,
    NicModel,
    NosModel,
    PduModel,
    RackModel,
    ServerModel,
    StorageModel,
    SwitchModel,
    TransceiverModel,
)
from rackproof.hardware.provenance import provenance_problems
from rackproof.paths import HARDWARE

EntryT = TypeVar("EntryT", bound=Entry)


class UnknownModelError(BadInputError):
    """A name that no file of the catalogue has."""

    def __init__(self, kind: str, name: str, names: Sequence[str]) -> None:
        self.kind = kind
        self.name = name
        self.matches = tuple(get_close_matches(name, names, n=3, cutoff=0.5))
        known = "did you mean " + " or ".join(self.matches) if self.matches else "known: " + ", ".join(names)
        super().__init__(f"{name!r} is not in the catalogue's {kind}", f"{known}?" if self.matches else known)


class CatalogueFileError(BadInputError):
    """A catalogue file that cannot be used; the message lists everything that is wrong with it."""

    def __init__(self, file: Path, problems: Sequence[str]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))


class Catalogue:
    """The hardware catalogue: a folder a kind, a YAML file a model.

    Every look-up raises ``UnknownModelError`` when no file has that name and ``CatalogueFileError`` when the file
    is not valid; a file is read once, and again by another catalogue of the process only if it has changed.
    """

    def __init__(self, folder: Path = HARDWARE) -> None:
        self._folder = folder
        self._entries: dict[tuple[str, str], Entry] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the model names of a kind (a folder of the catalogue, such as ``switches``), sorted."""
        if kind not in self._names:
            self._names[kind] = tuple(sorted(file.stem for file in (self._folder / kind).glob("*.yaml")))
        return self._names[kind]

    def server(self, name: str) -> ServerModel:
        """Return a server model."""
        return self._entry("servers", ServerModel, name)

    def switch(self, name: str) -> SwitchModel:
        """Return a switch model."""
        return self._entry("switches", SwitchModel, name)

    def nic(self, name: str) -> NicModel:
        """Return a network adapter."""
        return self._entry("nics", NicModel, name)

    def storage(self, name: str) -> StorageModel:
        """Return a storage system."""
        return self._entry("storage", StorageModel, name)

    def rack(self, name: str) -> RackModel:
        """Return a rack model."""
        return self._entry("racks", RackModel, name)

    def pdu(self, name: str) -> PduModel:
        """Return a power distribution unit."""
        return self._entry("pdus", PduModel, name)

    def nos(self, name: str) -> NosModel:
        """Return a network operating system."""
        return self._entry("nos", NosModel, name)

    def cable(self, name: str) -> CableModel:
        """Return a cable assembly."""
        return self._entry("cables", CableModel, name)

    def cord(self, name: str) -> CordModel:
        """Return a power cord."""
        return self._entry("cords", CordModel, name)

    def transceiver(self, name: str) -> TransceiverModel:
        """Return a pluggable optic."""
        return self._entry("transceivers", TransceiverModel, name)

    def licence(self, name: str) -> LicenceModel:
        """Return software that is licensed beside hardware."""
        return self._entry("licences", LicenceModel, name)

    def cables(self) -> tuple[CableModel, ...]:
        """Return every cable assembly, by name."""
        return tuple(self.cable(name) for name in self.names("cables"))

    def cords(self) -> tuple[CordModel, ...]:
        """Return every power cord, by name."""
        return tuple(self.cord(name) for name in self.names("cords"))

    def licences(self) -> tuple[LicenceModel, ...]:
        """Return all software that is licensed beside hardware, by name."""
        return tuple(self.licence(name) for name in self.names("licences"))

    def transceivers(self) -> tuple[TransceiverModel, ...]:
        """Return every pluggable optic, by name."""
        return tuple(self.transceiver(name) for name in self.names("transceivers"))

    def _entry(self, kind: str, model: type[EntryT], name: str) -> EntryT:
        known = self._entries.get((kind, name))
        if isinstance(known, model):
            return known
        if name not in self.names(kind):
            raise UnknownModelError(kind, name, self.names(kind))
        entry = read_entry(self._folder / kind / f"{name}.yaml", model)
        self._entries[kind, name] = entry
        return entry


def read_entry(file: Path, model: type[EntryT]) -> EntryT:
    """Read one catalogue file.

    Raises
    ------
    CatalogueFileError
        The file is not YAML, does not have the fields of its kind, has a number without a source, or states
        another model name than its own.
    """
    found = file.stat()
    return cast("EntryT", _read(file, model, (found.st_ino, found.st_mtime_ns, found.st_size)))


@lru_cache(maxsize=1 << 10)
def _read(file: Path, model: type[Entry], state: tuple[int, int, int]) -> Entry:
    """Read one catalogue file as it stands now: ``state`` changes with the file and is a part of the cache's key."""
    del state
    document = _read_mapping(file)
    try:
        entry = model.model_validate(document)
    except ValidationError as error:
        raise CatalogueFileError(file, _sentences(error)) from error
    problems = list(provenance_problems(document))
    if entry.model != file.stem:
        problems.append(f"model: {entry.model!r} must be the file's name, {file.stem!r}")
    if problems:
        raise CatalogueFileError(file, problems)
    return entry


def _read_mapping(file: Path) -> Mapping[str, object]:
    try:
        document: object = yaml12.read_yaml(file)
    except ValueError as error:
        raise CatalogueFileError(file, [str(error)]) from error
    if not isinstance(document, Mapping):
        raise CatalogueFileError(file, ["not a mapping of fields"])
    return document


def _sentences(error: ValidationError) -> list[str]:
    return [f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()]
