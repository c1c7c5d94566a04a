"""The site book: it stands alone, its links lead somewhere, and what devices are called is never markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.model.plan import Notice
from rackproof.render.documents import book
from rackproof.render.documents.record import Record
from rackproof.render.documents.site import site_documents

if TYPE_CHECKING:
    from collections.abc import Callable

VOID: Final = {"meta", "input"}
EVIL: Final = '<script>alert(1)</script><img src=x onerror="alert(2)">'


class Page(HTMLParser):
    """What a page links to, what it names, and what it says."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.links += [value for value in [attributes.get("href")] if value]
        self.anchors += [value for value in [attributes.get("id")] if value]
        self.rows += tag == "tr"


def rendered_page(record: Record) -> tuple[str, Page]:
    (file,) = book.files(record)
    text = file.content.decode()
    return text, Page(text)


def test_it_needs_nothing_else(record: Record) -> None:
    text, page = rendered_page(record)

    assert "default-src 'none'" in text
    assert "http://" not in text.replace("http-equiv", "")
    assert "https://" not in text
    assert "@import" not in text
    assert "url(" not in text
    assert not [tag for tag, attributes in page.tags if {"src", "srcset", "data", "action"} & set(attributes)]
    assert not [tag for tag, _ in page.tags if tag in {"link", "iframe", "object", "embed", "base"}]


def test_every_link_leads_somewhere(record: Record) -> None:
    _, page = rendered_page(record)
    made = {file.path for file in site_documents(record.plan, record.catalogue)}

    assert {link for link in page.links if link.startswith("#")} <= {f"#{anchor}" for anchor in page.anchors}
    assert {link for link in page.links if not link.startswith("#")} <= made
    assert len(page.anchors) == len(set(page.anchors))


def test_everything_is_named_in_it(record: Record) -> None:
    text, _ = rendered_page(record)

    names = [*record.plan.servers, *record.plan.switches, *record.plan.pdus, *record.plan.racks, *record.plan.fabrics]
    assert [name for name in names if name not in text] == []
    assert [link for link in record.plan.links if f">{link.b}<" not in text] == []


def test_text_of_others_is_escaped(small: Record) -> None:
    plan = replace(small.plan, site=EVIL, notices=(Notice("warning", EVIL, EVIL),))
    text, page = rendered_page(Record(plan, small.catalogue))

    assert EVIL not in text
    assert "<img" not in text
    assert [tag for tag, _ in page.tags].count("script") == 1


def test_device_names_are_escaped_in_pictures(small: Record) -> None:
    devices = {name: replace(device, title=EVIL) for name, device in small.devices.items()}
    record = Record(small.plan, small.catalogue)
    record.__dict__["devices"] = devices

    assert EVIL not in rendered_page(record)[0]
    assert not [file for file in site_documents(small.plan, small.catalogue) if EVIL.encode() in file.content]


@pytest.mark.parametrize(("units", "spines"), [(64, 32)])
def test_the_book_of_a_large_site_stays_small(wide: Callable[[int, int], Record], units: int, spines: int) -> None:
    record = wide(units, spines)
    text, page = rendered_page(record)

    assert len(record.plan.links) > 10_000
    assert len(text) < 1_000_000
    assert page.rows < 3_000
    assert "The first 100 of 10240; all of them: " in text
    assert "leaf-001 and 255 like it" in text
    assert [tag for tag, _ in page.tags].count("svg") < 12
    assert all(name in text for name in record.plan.servers)
