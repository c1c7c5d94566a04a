"""The folder that a validation left: its results, and the raw evidence for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from rackproof.errors import BadInputError
from rackproof.paths import LATEST_RUN, RUN_FACTS, RUN_FILE, RUN_INPUTS, RUN_LOGS

if TYPE_CHECKING:
    from collections.abc import Iterator

EVIDENCE: Final = (RUN_FACTS, RUN_LOGS)
"""Folders of a run whose files a dossier takes along."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One validation on disk."""

    path: Path

    @property
    def id(self) -> str:
        """When it began, which is its name: ``20261121T091500Z``."""
        return self.path.name

    @property
    def inputs(self) -> Path:
        """What it was held against, as it was then."""
        return self.path / RUN_INPUTS

    @property
    def results(self) -> Path:
        """The results."""
        return self.path / RUN_FILE

    def evidence(self) -> Iterator[tuple[str, Path]]:
        """Yield the files that show the results, by name within the folder, sorted; links lead elsewhere: left out."""
        for folder in EVIDENCE:
            for file in sorted((self.path / folder).rglob("*")):
                if file.is_file() and not file.is_symlink():
                    yield str(PurePosixPath(*file.relative_to(self.path).parts)), file


def find_run(validations: Path, run_id: str = LATEST_RUN) -> RunFolder:
    """Return a validation of a site, the newest whole one unless another is asked for.

    Raises
    ------
    BadInputError
        There is none.
    """
    folder = (validations / run_id).resolve()
    if run_id not in {"", ".", ".."} and "/" not in run_id and (folder / RUN_FILE).is_file():
        return RunFolder(folder)
    known = sorted(found.parent.name for found in validations.glob(f"*/{RUN_FILE}") if not found.parent.is_symlink())
    if known:
        raise BadInputError(f"there is no validation {run_id}", f"there are: {', '.join(known[-5:])}")
    raise BadInputError(f"{validations} holds no validation", "`rackproof validate <site>` makes one")
