"""Pages from templates that escape every value: text from people and devices is never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rackproof.paths import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def page_environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """Return the Jinja2 environment of the templates in ``templates/``: an undefined name is an error.

    Parameters
    ----------
    filters
        Name to a filter that these templates use besides Jinja2's own.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= filters
    return environment
