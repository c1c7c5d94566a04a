"""Pages from templates in which every value is escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rackproof.paths import TEMPLATES


@cache
def _environment() -> Environment:
    """Return the environment: an undefined name is an error, a value is never taken for markup."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES / "documents"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def render_page(name: str, **values: object) -> str:
    """Return what a template of templates/documents makes of ``values``.

    Raises
    ------
    jinja2.UndefinedError
        The template names something that ``values`` do not have.
    """
    return _environment().get_template(name).render(values)
