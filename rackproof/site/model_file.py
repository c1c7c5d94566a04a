"""Reads a YAML file into a model: everything that is wrong with it at once, each error with its place."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

import yaml12
from pydantic import BaseModel, ValidationError

from rackproof.errors import SiteError, SiteErrors
from rackproof.site.document import Document, Limits, located, read_document
from rackproof.site.schema_errors import schema_error
from rackproof.site.shape import Schema
from rackproof.site.text_file import read_text

ModelT = TypeVar("ModelT", bound=BaseModel)

GENERATED_MAX: Final = Limits(size_max_bytes=1 << 24, values_max=1_000_000)
"""Of a file that a command writes for thousands of devices: 2,000 servers with nine ports each take 3.4 MB."""

WRITTEN_LINE: Final = re.compile(
    r"""(?P<indent>\ *)(?P<quote>"?)(?P<key>[A-Za-z0-9_.-]+)(?P=quote):
    (?:\ (?:[A-Za-z0-9_./~][A-Za-z0-9_./~+=@\ -]*|"[\ !#-\[\]-~]*"|'[\ -&(-~]*'|\{\}))?""",
    re.VERBOSE,
)
"""A key with a scalar of one line, or with a mapping below it: all that the commands write."""
DEPTH_MAX: Final = 8
"""Levels of mappings in such a file."""


@dataclass(frozen=True, slots=True)
class LoadedModel(Generic[ModelT]):
    """A model and the document that it was read from."""

    model: ModelT
    document: Document

    def refuse(self, errors: tuple[SiteError, ...]) -> None:
        """Raise the errors that a further check found, with their places.

        Raises
        ------
        SiteErrors
            There are errors.
        """
        if errors:
            raise SiteErrors(located(self.document, errors), self.document.file.name)


def load_generated(path: Path, schema: Schema, model: type[ModelT]) -> ModelT:
    """Return the model of a file that a command writes and a user may edit.

    The file is parsed fast while it has the form in which commands write it, and otherwise as ``load_model`` does.

    Raises
    ------
    AbsentFileError
        There is no such file.
    BadInputError
        It is no text.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    text = read_text(path, GENERATED_MAX.size_max_bytes)
    if is_as_written(text):
        try:
            return model.model_validate(yaml12.parse_yaml(text), strict=True)
        except ValueError:
            pass  # found again below, with its place
    return _validated(path, text, schema, model, GENERATED_MAX).model


def load_model(path: Path, schema: Schema, model: type[ModelT]) -> LoadedModel[ModelT]:
    """Return the model of a file that a user writes. See `load_generated`."""
    limits = Limits()
    return _validated(path, read_text(path, limits.size_max_bytes), schema, model, limits)


def is_as_written(text: str) -> bool:
    """Return whether a text is a block of mappings in which each key has one place: no alias, no list, no tag."""
    above: list[tuple[int, set[str]]] = []
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        found = WRITTEN_LINE.fullmatch(line)
        if found is None:
            return False
        indent, key = len(found["indent"]), found["key"]
        while above and above[-1][0] > indent:
            above.pop()
        if not above or above[-1][0] < indent:
            above.append((indent, set()))
        if key in above[-1][1] or len(above) > DEPTH_MAX:
            return False
        above[-1][1].add(key)
    return bool(above)


def _validated(path: Path, text: str, schema: Schema, model: type[ModelT], limits: Limits) -> LoadedModel[ModelT]:
    document = read_document(path, text, limits, shows_values=not schema.secret)
    data = {} if document.data is None and not document.errors else document.data
    try:
        read = model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as refusal:
        known = {error.path for error in document.errors}
        details = refusal.errors(include_url=False)
        found = [schema_error(detail, schema) for detail in details if detail["loc"] not in known]
        raise SiteErrors(located(document, [*document.errors, *found]), path.name, schema.hint) from refusal
    if document.errors:
        raise SiteErrors(located(document, document.errors), path.name, schema.hint)
    return LoadedModel(read, document)
