"""Inputs checked against the types of the plan: every wrong value by its path."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from infra.provider.common.kind import InputProblem
from infra.provider.common.properties import Json

Path = tuple[str | int, ...]


def problems_of_type(expected: TypeAdapter[Any], values: Json, path: Path) -> Iterator[InputProblem]:
    """Yield every value that the expected type does not take, and every key that it does not know.

    Parameters
    ----------
    expected
        The type the values are meant to have.
    values
        What was given.
    path
        The path of the values in the inputs.
    """
    try:
        typed = expected.validate_python(values)
    except ValidationError as error:
        for detail in error.errors():
            yield InputProblem((*path, *detail["loc"]), detail["msg"])
    else:
        yield from _unknown_keys(values, expected.dump_python(typed, mode="json"), path)


def _unknown_keys(given: Json, known: Json, path: Path) -> Iterator[InputProblem]:
    if isinstance(given, Mapping) and isinstance(known, Mapping):
        for key, value in given.items():
            if key in known:
                yield from _unknown_keys(value, known[key], (*path, key))
            else:
                yield InputProblem((*path, key), "there is no such key here")
