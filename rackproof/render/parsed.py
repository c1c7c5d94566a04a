"""The result of parsing a configuration text: its intent, and the lines that the intent does not explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.render.config_tree import ConfigTree, lines_only_in

if TYPE_CHECKING:
    from rackproof.plan.model.plan import SwitchIntent


@dataclass(frozen=True, slots=True)
class ParsedConfiguration:
    """What a configuration text means, and where it is not what rendering that meaning gives."""

    intent: SwitchIntent
    unknown: tuple[str, ...]
    """Lines the intent does not explain, word for word, each behind the blocks it stands in (``a > b > line``)."""
    missing: tuple[str, ...]
    """Lines the intent needs and the text lacks, written likewise."""

    @property
    def exact(self) -> bool:
        """Whether the text says the intent and nothing else."""
        return not self.unknown and not self.missing


def explained(intent: SwitchIntent, owned: ConfigTree, rendered: ConfigTree) -> ParsedConfiguration:
    """Return ``intent``, read from ``owned``, with the lines in which ``owned`` and its rendering differ."""
    return ParsedConfiguration(
        intent=intent, unknown=lines_only_in(owned, rendered), missing=lines_only_in(rendered, owned)
    )
