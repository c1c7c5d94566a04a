"""A site of one rail-optimized fabric and its out-of-band network, of any size, for the benchmarks.

Rows of 64 racks with four servers each; the leaves and spines of a row stand in eight racks in its middle, so that no
cable is longer than its optics reach, and the switches that connect the rows stand in a block between the rows. The
adapters are managed from their hosts, as in the sites of inventory/, so that one out-of-band switch serves three racks.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

SERVERS_PER_RACK: Final = 4
SERVERS_PER_ROW: Final = 256
NETWORK_RACKS: Final = 8
"""Of a whole row; a shorter one has half as many as racks of servers at most."""

SITE: Final = """\
site: benchmark
release: dell-genai-2025
redundancy: feed-throttled
racks:
{racks}
servers:
  - group: gpu
    model: dell-xe9680-h100
    nics: {{backend: nvidia-b3140h}}
    managed_nics: []
    count: {servers}
    racks: [{server_racks}]
    per_rack: {per_rack}
fabrics:
  backend:
    topology: rail-optimized
    switch: nvidia-sn5600
    nos: cumulus
    racks: [{network_racks}, core]
    per_rack: 8
    prefix: 10.0.0.0/8
    roce: {{}}
  oob: {{topology: switch-per-rack, switch: nvidia-sn2201, nos: cumulus, rack: core, prefix: 172.16.0.0/12}}
"""
RACK: Final = "  - {{name: {name}, model: apc-ar3307, pdus: {{model: apc-apdu10450sw, count: 4}}, count: {count}{row}}}"
NEW_ROW: Final = ", new_row: true"


def rail_site(servers: int, core_racks: int | None = None) -> str:
    """Return the text of a site file.

    Parameters
    ----------
    servers
        GPU servers: a multiple of 256, or less than that and a multiple of 8.
    core_racks
        Racks of the block between the rows, each with an out-of-band switch (default: two a row).
    """
    rows = max(servers // SERVERS_PER_ROW, 1)
    half = min(servers, SERVERS_PER_ROW) // SERVERS_PER_RACK // 2
    core = RACK.format(name="core", count=2 * rows if core_racks is None else core_racks, row=NEW_ROW)
    blocks = list(chain.from_iterable(_row(row, half) for row in range(1, rows + 1)))
    blocks.insert(len(blocks) // 6 * 3, core)
    return SITE.format(
        racks="\n".join(blocks),
        servers=servers,
        server_racks=", ".join(f"left{row}, right{row}" for row in range(1, rows + 1)),
        per_rack=SERVERS_PER_RACK,
        network_racks=", ".join(f"middle{row}" for row in range(1, rows + 1)),
    )


def _row(row: int, half: int) -> tuple[str, str, str]:
    """Return the racks of one row: half of its servers, its switches, the other half."""
    return (
        RACK.format(name=f"left{row}", count=half, row=NEW_ROW),
        RACK.format(name=f"middle{row}", count=min(NETWORK_RACKS, half), row=""),
        RACK.format(name=f"right{row}", count=half, row=""),
    )
