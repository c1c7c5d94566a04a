"""The faults of a lab: one module each, found by its file name (``swapped_cable`` is ``swapped-cable``).

A module has one function ``inject``, whose keyword parameters are the fault's; it returns the function that clears it.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import get_type_hints

from lab.errors import UnknownFaultError

Undo = Callable[[], Awaitable[None]]
Inject = Callable[..., Awaitable[Undo]]
"""Takes the running lab and the fault's parameters."""


def names() -> tuple[str, ...]:
    """Return the names of all faults."""
    return tuple(sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__)))


def usage(name: str) -> str:
    """Return a fault's parameters and what it does, on one line."""
    inject = _inject(name)
    parameters = " ".join(
        f"{parameter}=..." if default.default is inspect.Parameter.empty else f"[{parameter}=...]"
        for parameter, default in _parameters(inject).items()
    )
    return f"{name} {parameters}: {(inspect.getdoc(inject) or '').partition(chr(10))[0]}"


def prepared(name: str, parameters: Mapping[str, str]) -> Inject:
    """Return the function that injects a fault into a lab, with its parameters set.

    Raises
    ------
    UnknownFaultError
        No fault of that name, or parameters it does not take.
    """
    function = _inject(name)
    expected = _parameters(function)
    unknown = sorted(set(parameters) - set(expected))
    missing = [
        key for key, value in expected.items() if value.default is inspect.Parameter.empty and key not in parameters
    ]
    if unknown or missing:
        wrong = [*(f"{key} is not a parameter" for key in unknown), *(f"{key} is missing" for key in missing)]
        raise UnknownFaultError(f"{name}: {', '.join(wrong)}", usage(name))
    return partial(function, **_converted(function, parameters))


def _inject(name: str) -> Inject:
    if name not in names():
        raise UnknownFaultError(f"there is no fault called {name}", f"there are {', '.join(names())}")
    function: Inject = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").inject
    return function


def _parameters(function: Inject) -> dict[str, inspect.Parameter]:
    return dict(list(inspect.signature(function).parameters.items())[1:])


def _converted(function: Inject, parameters: Mapping[str, str]) -> dict[str, object]:
    kinds = get_type_hints(function, localns={"RunningLab": object, "Undo": object})
    readers: dict[object, Callable[[str], object]] = {
        int: int,
        float: float,
        bool: lambda text: text.lower() in {"1", "true", "yes"},
        tuple[str, ...]: lambda text: tuple(line.strip() for line in text.replace(";", "\n").splitlines()),
    }
    try:
        return {key: readers.get(kinds[key], str)(text) for key, text in parameters.items()}
    except ValueError as error:
        raise UnknownFaultError(f"a parameter is not a number: {error}") from error
