"""The process a lab runs in: ``python -m lab.daemon.daemon FOLDER READY_FD``.

``lab.daemon.client`` starts it, and ends it by its process ID.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from lab.daemon.limitations import Limitation, limitations
from lab.daemon.messages import (
    Answer,
    ControllerStatus,
    FaultStatus,
    HostStatus,
    LabStatus,
    PortCount,
    Request,
    SwitchStatus,
    socket_address,
)
from lab.daemon.running_lab import RunningLab
from lab.errors import LabError
from lab.fabric.fabric import Fabric
from lab.folder import LabFolder, lab_id
from lab.hosts.controllers import USER as BMC_USER
from lab.hosts.host_link_state import follow_host_ports
from lab.hosts.hosts import read_hosts, start_all, stop_all, virtual_machines
from lab.hosts.identity import USER
from lab.hosts.machine import HostSpec
from lab.hosts.redfish.server import RedfishServer
from lab.spec.models import LabEnd, LabSite
from lab.switches.links import PortCounters

_LOG: Final = logging.getLogger(__name__)

READY = "ready"
"""The line that the daemon writes when every switch and host answers."""
FAILED = "failed: "
"""Start of the line with the reason why the lab could not start."""


class Daemon:
    """Answers requests about one running lab."""

    def __init__(self, lab: RunningLab) -> None:
        self._lab = lab

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        line = await reader.readline()
        try:
            answer = await self.answer(Request.model_validate_json(line))
        except ValidationError as error:
            answer = Answer(error=f"the lab cannot parse the request: {error}")
        except LabError as error:
            answer = Answer(error=error.message, hint=error.hint)
        writer.write(answer.model_dump_json().encode() + b"\n")
        await writer.drain()
        writer.close()

    async def answer(self, request: Request) -> Answer:
        """Execute a request.

        Raises
        ------
        LabError
            It failed.
        """
        name = request.name or ""
        match request.verb:
            case "status":
                return Answer(status=self.status())
            case "fault":
                await self._lab.inject(name, request.parameters)
                return Answer()
            case "clear":
                return Answer(count=await self._lab.clear(request.name))
            case "advance":
                self._lab.advance(request.seconds)
                return Answer()
            case "edit":
                return Answer(refused=await self._lab.edit(name, request.lines))
            case "counters":
                return Answer(counters=await self.counters())

    def status(self) -> LabStatus:
        """Return the status of the lab."""
        return LabStatus(
            running=True,
            process_id=os.getpid(),
            clock=datetime.fromtimestamp(self._lab.clock.now(), UTC),
            switches=tuple(self._switch(name) for name in self._lab.switches),
            hosts=tuple(self._host(name) for name in self._lab.hosts),
            controllers=tuple(_controller(name, one) for name, one in self._lab.controllers.services.items()),
            simulated=tuple(_sentence(one) for one in limitations(self._lab)),
            simulated_facts=_facts(limitations(self._lab)),
            faults=tuple(FaultStatus(name=fault.name, parameters=dict(fault.parameters)) for fault in self._lab.faults),
        )

    async def counters(self) -> tuple[PortCount, ...]:
        """Return the counters of the ports of all switches; they are zero without a fabric."""
        links = self._lab.links
        await asyncio.gather(*(links.refresh(name) for name in self._lab.switches))
        found: list[PortCount] = []
        for name in self._lab.switches:
            found.extend(_count(name, port, links.counters(name, port)) for port in links.ports(name))
        return tuple(found)

    def _switch(self, name: str) -> SwitchStatus:
        switch = self._lab.switches[name]
        ports = self._lab.computed_links.ports(name)
        return SwitchStatus(
            name=name,
            port=self._lab.endpoints[name].port,
            host_key=self._lab.endpoints[name].public_host_key,
            user=switch.user,
            power=switch.power,
            links=len(ports),
            links_up=sum(self._lab.is_up(LabEnd(name, port)) for port in ports),
            return_timers=tuple(timer.name for timer in switch.units.armed),
        )

    def _host(self, name: str) -> HostStatus:
        host = self._lab.hosts[name]
        return HostStatus(
            name=name,
            port=host.port,
            host_key=host.identity.public_host_key,
            user=USER,
            power=host.power,
            ports=tuple(nic.end.port for nic in host.spec.nics),
            kind=host.spec.kind,
            recorded=_recorded(host.spec),
        )


def _controller(server: str, service: RedfishServer) -> ControllerStatus:
    folder, file = service.certificate.parts[-2:]
    name = service.certificate.stem
    return ControllerStatus(name=name, server=server, port=service.port, user=BMC_USER, certificate=f"{folder}/{file}")


def _recorded(host: HostSpec) -> tuple[str, ...]:
    """Return what a host answers from a recording."""
    return (host.gpus,) if host.gpus else ()


def _facts(found_limits: Iterable[Limitation]) -> dict[str, tuple[str, ...]]:
    """Return the facts that rest on simulated parts, by device; an empty name stands for all devices."""
    found: dict[str, tuple[str, ...]] = {}
    for one in found_limits:
        for device in one.devices or ("",):
            found[device] = (*found.get(device, ()), *one.facts)
    return {device: facts for device, facts in found.items() if facts}


def _sentence(one: Limitation) -> str:
    where = f" ({', '.join(one.devices)})" if one.devices else ""
    return f"{one.what}{where}: {one.why}"


def _count(switch: str, port: str, counted: PortCounters) -> PortCount:
    queues = {number: queue.packets for number, queue in counted.queues.items()}
    return PortCount(
        switch=switch, port=port, in_bytes=counted.in_bytes, out_bytes=counted.out_bytes, queue_packets=queues
    )


class StartPipe:
    """The pipe to the command that started the daemon and waits until the lab is ready."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def write_line(self, line: str) -> None:
        """Write a line; it is dropped when the other end is closed."""
        if self._descriptor is not None:
            with suppress(BrokenPipeError):
                os.write(self._descriptor, f"{' '.join(line.split())}\n".encode())

    def close(self) -> None:
        """Close the pipe."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


async def run(folder: LabFolder, pipe: StartPipe) -> None:
    """Run a lab until the process gets SIGTERM or SIGINT.

    Raises
    ------
    LabError
        It could not start.
    """
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    site = TypeAdapter(LabSite).validate_json(folder.site_description.read_bytes())
    hosts = read_hosts(folder)
    fabric = None if hosts is None else Fabric(lab_id(folder.path), site)
    password = folder.password.read_text("utf-8").strip()
    async with RunningLab(site, password, fabric) as lab:
        if hosts is not None and fabric is not None:
            lab.hosts = virtual_machines(hosts, folder, fabric)
            await lab.controllers.start(lab.hosts.values(), password, folder.controllers)
        try:
            await _unless(ended, start_all(lab.hosts, pipe.write_line))
            if not ended.is_set():
                async with follow_host_ports(lab):
                    await _serve(folder, lab, pipe, ended)
        finally:
            await lab.controllers.stop()
            await stop_all(lab.hosts)


async def _unless(ended: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Do work, and cancel it when ``ended`` is set."""
    doing, ending = asyncio.ensure_future(work), asyncio.ensure_future(ended.wait())
    await asyncio.wait((doing, ending), return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if not doing.done():
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
    else:
        doing.result()


async def _serve(folder: LabFolder, lab: RunningLab, pipe: StartPipe, ended: asyncio.Event) -> None:
    with socket_address(folder.control) as address:
        server = await asyncio.start_unix_server(Daemon(lab).serve, address)
    async with server:
        pipe.write_line(READY)
        pipe.close()
        await ended.wait()


def main(folder: Path, descriptor: int) -> int:
    """Run a lab and return the process's status."""
    pipe = StartPipe(descriptor)
    try:
        asyncio.run(run(LabFolder(folder), pipe))
    except LabError as error:
        _LOG.exception("the lab could not start")
        pipe.write_line(f"{FAILED}{error.message}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
