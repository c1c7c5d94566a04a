"""Pages from templates in which every value is escaped: what a device says is never markup."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rackproof.paths import TEMPLATES
from rackproof.report.heat_map import shade_of
from rackproof.report.words import ceiling_text, counted, note_of, number_text, prose, source_text


@cache
def _environment() -> Environment:
    """Return the environment: an undefined name is an error."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "report"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        "number": number_text, "ceiling": ceiling_text, "source": source_text, "counted": counted, "shade": shade_of,
        "prose": prose,
        "note": note_of,
    }  # fmt: skip
    return environment


def render_page(name: str, **values: object) -> str:
    """Return what a template of templates/report makes of ``values``.

    Raises
    ------
    jinja2.UndefinedError
        The template names something that ``values`` do not have.
    """
    return _environment().get_template(name).render(values)
