"""The page's template, and what it may do to values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rackproof.pages import page_environment
from rackproof.plural import counted
from rackproof.report.content.words import ceiling_text, note_of, number_text, prose, source_text
from rackproof.report.formats.heat_map import shade_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Template


@cache
def page_template() -> Template:
    """Return the template of the page."""
    filters: dict[str, Callable[..., object]] = {
        "number": number_text,
        "ceiling": ceiling_text,
        "source": source_text,
        "counted": counted,
        "shade": shade_of,
        "prose": prose,
        "note": note_of,
    }
    return page_environment(filters).get_template("report/dossier.html.j2")
