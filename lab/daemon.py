"""The process a lab runs in: ``python -m lab.daemon FOLDER READY_FD``. Started by lab.control, ended by its number."""

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from lab.errors import LabError
from lab.folder import LabFolder
from lab.messages import Answer, FaultStatus, LabStatus, Request, SwitchStatus, socket_address
from lab.running import RunningLab
from lab.spec import LabSite

READY = b"ready\n"
"""What the daemon says when every switch answers."""


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
            answer = Answer(error=f"this lab does not understand the request: {error}")
        except LabError as error:
            answer = Answer(error=error.message, hint=error.hint)
        writer.write(answer.model_dump_json().encode() + b"\n")
        await writer.drain()
        writer.close()

    async def answer(self, request: Request) -> Answer:
        """Do what is asked.

        Raises
        ------
        LabError
            It cannot be done.
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

    def status(self) -> LabStatus:
        """Return how the lab is."""
        return LabStatus(
            running=True,
            process_id=os.getpid(),
            clock=datetime.fromtimestamp(self._lab.clock.now(), UTC),
            switches=tuple(self._switch(name) for name in self._lab.switches),
            faults=tuple(FaultStatus(name=fault.name, parameters=dict(fault.parameters)) for fault in self._lab.faults),
        )

    def _switch(self, name: str) -> SwitchStatus:
        switch = self._lab.switches[name]
        ports = self._lab.wiring.ports(name)
        return SwitchStatus(
            name=name,
            port=self._lab.endpoints[name].port,
            host_key=self._lab.endpoints[name].public_host_key,
            user=switch.user,
            power=switch.power,
            links=len(ports),
            links_up=sum(self._lab.wiring.is_up(name, port) for port in ports),
            return_timers=tuple(timer.name for timer in switch.units.armed),
        )


async def run(folder: LabFolder, ready: int) -> None:
    """Run a lab until the process is told to end."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    site = TypeAdapter(LabSite).validate_json(folder.site_description.read_bytes())
    async with RunningLab(site, folder.password.read_text("utf-8").strip()) as lab:
        with socket_address(folder.control) as address:
            server = await asyncio.start_unix_server(Daemon(lab).serve, address)
        async with server:
            os.write(ready, READY)
            os.close(ready)
            await ended.wait()


if __name__ == "__main__":
    asyncio.run(run(LabFolder(Path(sys.argv[1])), int(sys.argv[2])))
