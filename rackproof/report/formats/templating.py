"""The page's template, and what it may do to values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rackproof.pages import page_environment
from rackproof.plural import counted
from rackproof.report.content.words import ceiling_text, number_text, prose, result_note, source_text
from rackproof.report.formats.heat_map import shade_class

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
        "shade": shade_class,
        "prose": prose,
        "note": result_note,
    }
    return page_environment(filters).get_template("report/dossier.html.j2")
