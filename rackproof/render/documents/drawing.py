"""Drawings as SVG whose text always fits: made smaller first, then shortened, with the whole of it as a tooltip.

All text is monospaced: its width is known without knowing the font, because every common monospaced font is 0.6 em
wide (Courier, DejaVu Sans Mono, Liberation Mono, Menlo) or narrower (Consolas).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

ADVANCE: Final = 0.605
"""Width of a character over the size of the font."""
SIZE: Final = 10.0
SMALLEST: Final = 6.0
"""On A4, drawn at its own size, that is 4.5 points."""
ELLIPSIS: Final = "…"

Anchor = Literal["start", "middle", "end"]

STYLE: Final = """
.drawing{font-family:"DejaVu Sans Mono","Liberation Mono",Menlo,Consolas,monospace;fill:#1b1f24}
.drawing .b{font-weight:bold}.drawing .d{fill:#57606a}.drawing .page{fill:#fff}
.drawing rect{stroke:#57606a;stroke-width:.8}.drawing rect.page{stroke:none}
.drawing .frame{fill:#f6f8fa}.drawing .free{fill:#fff;stroke:#afb8c1;stroke-dasharray:3 2}
.drawing .server{fill:#fdf0d5}.drawing .storage{fill:#f9dcea}
.drawing .backend{fill:#d5e6fb}.drawing .frontend{fill:#d9f2df}
.drawing .oob{fill:#e8e4f5}.drawing .other{fill:#eaeef2}.drawing .off{fill:#e1e4e8}
.drawing .feed-a{fill:#fbe0e0}.drawing .feed-b{fill:#dcecf5}
.drawing line{stroke:#57606a;stroke-width:1}
@media screen and (prefers-color-scheme:dark){
.drawing{fill:#e6edf3}.drawing .d{fill:#9da7b1}.drawing .page{fill:#0d1117}
.drawing .frame{fill:#161b22}.drawing .free{fill:#0d1117;stroke:#484f58}
.drawing .server{fill:#4a3a16}.drawing .storage{fill:#55243c}
.drawing .backend{fill:#17375e}.drawing .frontend{fill:#1b4429}
.drawing .oob{fill:#382e5c}.drawing .other{fill:#2d333b}.drawing .off{fill:#21262d}
.drawing .feed-a{fill:#5a2326}.drawing .feed-b{fill:#173f55}
.drawing line,.drawing rect{stroke:#8b949e}}
""".replace("\n", "")
"""Colours by what a thing is for, on paper and on a dark screen."""


def text_width(text: str, size: float) -> float:
    """Return how wide a text is."""
    return len(text) * ADVANCE * size


def fitted(text: str, room: float, size: float = SIZE) -> tuple[str, float]:
    """Return a text, shortened if it must be, and the size (``SMALLEST`` or more) at which it fits into ``room``."""
    width = text_width(text, size)
    if width <= room:
        return text, size
    smaller = int(10 * size * room / width) / 10
    if smaller >= SMALLEST:
        return text, smaller
    letters = max(1, int(room / (ADVANCE * SMALLEST)) - 1)
    return text[:letters] + ELLIPSIS, SMALLEST


def safe(text: str) -> str:
    """Return text that may stand in XML: escaped, and without control characters."""
    return escape("".join(letter if letter.isprintable() else " " for letter in text), quote=True)


@dataclass(slots=True)
class Drawing:
    """A picture that is put together piece by piece; sizes are CSS pixels (96 an inch)."""

    title: str
    width: float
    height: float
    _parts: list[str] = field(default_factory=list)

    def box(self, left: float, top: float, width: float, height: float, kind: str) -> None:
        """Draw a rectangle in the colour of ``kind``."""
        self._parts.append(f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"/>')

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a line."""
        (x1, y1), (x2, y2) = start, end
        self._parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def text(
        self,
        at: tuple[float, float],
        words: str,
        room: float,
        *,
        size: float = SIZE,
        kind: str = "",
        anchor: Anchor = "start",
        upright: bool = False,
    ) -> None:
        """Write ``words`` from the point ``at`` of the base line, no wider than ``room``; upright: from below."""
        shown, size = fitted(words, room, size)
        left, base = at
        attributes = f' class="{kind}"' if kind else ""
        attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
        attributes += f' transform="rotate(-90 {left:g} {base:g})"' if upright else ""
        tooltip = f"<title>{safe(words)}</title>" if shown != words else ""
        self._parts.append(
            f'<text x="{left:g}" y="{base:g}" font-size="{size:g}"{attributes}>{tooltip}{safe(shown)}</text>'
        )

    def lines(self, at: tuple[float, float], rows: Iterable[str], room: float, *, leading: float = 13) -> None:
        """Write rows of text, one below the other."""
        left, base = at
        for number, row in enumerate(rows):
            self.text((left, base + number * leading), row, room)

    def inline(self) -> str:
        """Return the drawing for a page that has ``STYLE``."""
        return self._svg("", "")

    def standalone(self) -> bytes:
        """Return the drawing as a file of its own."""
        return self._svg(' xmlns="http://www.w3.org/2000/svg"', f"<style>{STYLE}</style>").encode()

    def _svg(self, namespace: str, style: str) -> str:
        size = f'width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"'
        title = f"<title>{safe(self.title)}</title>"
        page = '<rect class="page" width="100%" height="100%"/>'
        parts = "\n".join(self._parts)
        return f'<svg{namespace} class="drawing" role="img" {size}>{title}{style}{page}\n{parts}\n</svg>\n'
