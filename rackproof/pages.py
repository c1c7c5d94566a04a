"""Pages from templates in which every value is escaped: what a person or a device wrote is never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rackproof.paths import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def page_environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """Return what makes pages of the templates of ``templates/``: an undefined name is an error.

    Parameters
    ----------
    filters
        What these templates may do to values, besides what Jinja2 can, by name.
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
