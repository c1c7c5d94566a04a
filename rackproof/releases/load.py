"""Look up version sets: found by file name."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import yaml12
from pydantic import ValidationError

from rackproof.errors import BadInputError
from rackproof.paths import RELEASES
from rackproof.releases.models import Release


class UnknownReleaseError(BadInputError):
    """A name that no release file has."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        self.name = name
        self.matches = tuple(get_close_matches(name, names, n=3, cutoff=0.5))
        hint = f"did you mean {' or '.join(self.matches)}?" if self.matches else f"known: {', '.join(names)}"
        super().__init__(f"{name!r} is not a release", hint)


class ReleaseFileError(BadInputError):
    """A release file that cannot be used; the message lists everything that is wrong with it."""

    def __init__(self, file: Path, problems: Sequence[str]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))


def release_names(folder: Path = RELEASES) -> tuple[str, ...]:
    """Return the names of all releases, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def load_release(name: str, folder: Path = RELEASES) -> Release:
    """Read the release ``name``.

    Raises
    ------
    UnknownReleaseError
        No release file has that name.
    ReleaseFileError
        The file is not YAML, not a release, or states another name than its own.
    """
    names = release_names(folder)
    if name not in names:
        raise UnknownReleaseError(name, names)
    file = folder / f"{name}.yaml"
    try:
        release = Release.model_validate(yaml12.read_yaml(file))
    except ValidationError as error:
        sentences = [f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()]
        raise ReleaseFileError(file, sentences) from error
    except ValueError as error:
        raise ReleaseFileError(file, [str(error)]) from error
    if release.release != file.stem:
        raise ReleaseFileError(file, [f"release: {release.release!r} must be the file's name, {file.stem!r}"])
    return release
