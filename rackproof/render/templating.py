"""Jinja2 as this project uses it: strict, compiled once, imported when the first template is needed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rackproof.paths import TEMPLATES

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> Environment:
    """Return the one environment: an undefined name is an error, a tag alone on its line leaves no trace."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 30 ms that most verbs do not need

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        autoescape=False,  # noqa: S701 the text goes to switches, never to a browser
    )


def render_template(name: str, context: object) -> str:
    """Return what the template ``name`` (``<nos>/switch.j2``) makes of ``context``, known there as ``switch``.

    Raises
    ------
    jinja2.UndefinedError
        The template names something that ``context`` does not have.
    """
    return _environment().get_template(name).render(switch=context)
