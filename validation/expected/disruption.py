"""What a run interrupts: told before it happens; a cold start comes before everything that the run proves."""

import asyncio
from collections.abc import Iterator
from typing import Final

import msgspec

from rackproof.files import write_whole
from rackproof.measure.outage.cold_start import Recovery, SshAdjacencyReader, cold_start, restart_waves
from rackproof.measure.outage.selection import disruptions
from rackproof.measure.remote.device_control import SshDeviceControl
from rackproof.paths import RUN_LOGS
from validation.expected.traffic import traffic_site
from validation.runner.session_setup import Prepared
from validation.verdict.run_folder import RunFolder

FILE: Final = f"{RUN_LOGS}/cold-start.json"


def told(prepared: Prepared) -> Iterator[str]:
    """Yield what a run does to the site, in sentences."""
    asked = prepared.asked
    if asked.disruptive and not asked.replay:
        reached = prepared.site.access.access.devices
        yield from disruptions(traffic_site(prepared.site), reached, asked.soak_hours, restarted(prepared))


def restarted(prepared: Prepared) -> tuple[str, ...]:
    """Return the devices that a cold start restarts: all that were chosen and can be reached."""
    known = prepared.site.access.access.devices
    return tuple(name for name in prepared.devices if name in known) if prepared.asked.cold_start else ()


def start_cold(prepared: Prepared) -> None:
    """Restart what was chosen, all at once, and keep in the run's folder how it came back."""
    site, names = prepared.site, restarted(prepared)
    intents, target = site.plan.intents(), site.access.target
    adjacency_reader = SshAdjacencyReader(
        target, {name: site.plan.switches[name].nos for name in names if name in intents}
    )
    recoveries = asyncio.run(cold_start(SshDeviceControl(target), adjacency_reader, restart_waves(site.plan, names)))
    write_whole(site.run.path / FILE, [msgspec.json.format(msgspec.json.encode(recoveries))])


def backs_in(run: RunFolder) -> dict[str, Recovery] | None:
    """Return how devices came back from the cold start before a run; None: there was none."""
    path = run.path / FILE
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Recovery]) if path.is_file() else None
