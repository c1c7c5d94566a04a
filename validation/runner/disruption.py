"""What a run interrupts: messages before it happens, and the cold start before the first check."""

import asyncio
from collections.abc import Iterator

import msgspec

from rackproof.files import write_whole
from rackproof.measure.outage.cold_start import SshAdjacencyReader, cold_start, restart_waves
from rackproof.measure.outage.selection import disruptions
from rackproof.measure.remote.device_control import SshDeviceControl
from validation.expected.cold_start import COLD_START_FILE
from validation.expected.traffic import traffic_site
from validation.runner.session_setup import PreparedRun


def disruption_messages(prepared: PreparedRun) -> Iterator[str]:
    """Yield what a run interrupts on the site, a sentence each."""
    asked = prepared.options
    if asked.disruptive and not asked.replay:
        reached = prepared.site.access.access.devices
        yield from disruptions(traffic_site(prepared.site), reached, asked.soak_hours, restarted_devices(prepared))


def restarted_devices(prepared: PreparedRun) -> tuple[str, ...]:
    """Return the devices that a cold start restarts: every selected one that access.yaml names."""
    known = prepared.site.access.access.devices
    return tuple(name for name in prepared.devices if name in known) if prepared.options.cold_start else ()


def start_cold(prepared: PreparedRun) -> None:
    """Restart all selected devices at once, and write to the run's folder how each recovered."""
    site, names = prepared.site, restarted_devices(prepared)
    intents, target = site.plan.intents(), site.access.target
    reader = SshAdjacencyReader(target, {name: site.plan.switches[name].nos for name in names if name in intents})
    recoveries = asyncio.run(cold_start(SshDeviceControl(target), reader, restart_waves(site.plan, names)))
    write_whole(site.run.path / COLD_START_FILE, [msgspec.json.format(msgspec.json.encode(recoveries))])
