"""Writes the recording of a whole site, servers and switches, in which everything is as planned.

usage: python -m benchmarks.record_site SERVERS FOLDER

``rackproof validate FOLDER/site.yaml --access FOLDER/access.yaml --replay FOLDER`` judges it, and ``rackproof report
FOLDER/site.yaml --access FOLDER/access.yaml`` makes its dossier: one of a size that no lab has.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from benchmarks.rail_site import rail_site
from benchmarks.recorded_servers import RecordedServers
from benchmarks.recorded_switches import recorded_switches
from rackproof.gather.discover import write_as_built
from rackproof.paths import RUN_FACTS
from rackproof.plan.from_file import plan_site
from validation.verdict.run_folder import RunFolder


def write_site(servers: int, folder: Path) -> Path:
    """Write the site file and an access.yaml without devices; return the site file."""
    (folder / RUN_FACTS).mkdir(parents=True, exist_ok=True)
    site = folder / "site.yaml"
    text = rail_site(servers).replace("dell-xe9680-h100", "dell-xe9680-h200")
    site.write_text(text.replace("site: benchmark", f"site: recorded-{servers}"), encoding="utf-8")
    (folder / "access.yaml").write_text("devices: {}\n", encoding="utf-8")
    return site


async def record(servers: int, folder: Path) -> None:
    """Write the site, its as-built record and the facts of all servers and switches."""
    planned = plan_site(write_site(servers, folder))
    recorded, run = RecordedServers(planned), RunFolder(folder)
    write_as_built(folder / "as-built.yaml", recorded.as_built)
    for name in recorded.names:
        run.write_answers(name, recorded.answers(name))
    async for name, answers in recorded_switches(planned):
        run.write_answers(name, answers)


if __name__ == "__main__":
    asyncio.run(record(int(sys.argv[1]), Path(sys.argv[2])))
