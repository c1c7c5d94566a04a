"""Servers: enough system memory for their accelerators."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import entry
from rackproof.site.models import Site

MEMORY_RATIO: Final = 1.5
"""System memory over the combined memory of the accelerators, at least (Dell's design guide, chapter 3)."""


def memory_is_larger_than_that_of_the_accelerators(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A server has more than 1.5 times the combined memory of its accelerators (a warning).

    Source: Dell, Design Guide - Generative AI with PowerEdge XE9680, chapter 3: "CPU memory ... must be greater than
    1.5 times the combined GPU memory footprint".
    """
    for number, group in enumerate(site.servers):
        server = entry(catalogue.server, group.model)
        if server is None:
            continue
        memory_gb = group.memory_gb or server.memory_gb
        combined_gb = server.gpus.count * server.gpus.memory_gb
        if memory_gb <= MEMORY_RATIO * combined_gb:
            path: ValuePath = ("servers", number, "memory_gb" if group.memory_gb else "model")
            gpus = f"{server.gpus.count} x {server.gpus.memory_gb} GB of {server.gpus.name}"
            least = f"more than {MEMORY_RATIO} times as much, {MEMORY_RATIO * combined_gb:g} GB"
            message = f"{memory_gb} GB of memory for {gpus}: Dell's design guide (chapter 3) asks for {least}"
            yield SiteError(path, message, "models that are loaded or saved whole may not fit", warning=True)
