"""Shared runs: hosts whose steps begin together are brought up by one process of Ansible."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.connect.device_thread import DeviceThread
from rackproof.deploy.events import Progressed, Report
from rackproof.deploy.nodes.ansible import run_playbook
from rackproof.deploy.nodes.job import NodeOptions, NodeTask
from rackproof.deploy.nodes.results import HostRun


@dataclass(slots=True)
class _Batch:
    """Hosts that wait for a run to begin."""

    tasks: dict[str, NodeTask] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    leaving: set[str] = field(default_factory=set)
    """Hosts whose step is to stop."""
    stop: threading.Event = field(default_factory=threading.Event)
    run: asyncio.Task[Mapping[str, HostRun]] | None = None


class SharedRuns:
    """Gathers hosts into runs of Ansible; one object serves all the hosts of a site.

    Parameters
    ----------
    options
        How long to gather hosts, and the timeouts of a run.
    """

    def __init__(self, options: NodeOptions) -> None:
        self._options = options
        self._gathering: dict[str, _Batch] = {}
        """By playbook."""

    async def bring_up(self, task: NodeTask, report: Report, stop: threading.Event) -> HostRun:
        """Run the playbook on a host, together with others, and return its result.

        Parameters
        ----------
        task
            The host.
        report
            Called with each progress event.
        stop
            Set when this host is to stop; a run ends when all of its hosts are to stop.

        Raises
        ------
        HostKeyError, CredentialError
            A host of the run cannot be logged into; nothing was started.
        """
        batch = self._gathering.setdefault(str(task.playbook), _Batch())
        batch.tasks[task.device] = task
        batch.reports[task.device] = report
        if batch.run is None:
            batch.run = asyncio.create_task(self._run(batch))
        watching = asyncio.create_task(_watch(batch, task.device, stop))
        try:
            return (await batch.run)[task.device]
        finally:
            watching.cancel()

    async def _run(self, batch: _Batch) -> Mapping[str, HostRun]:
        await asyncio.sleep(self._options.gather_s)
        tasks = tuple(batch.tasks.values())
        self._gathering.pop(str(tasks[0].playbook))
        loop = asyncio.get_running_loop()

        def report_task(host: str, doing: str) -> None:
            loop.call_soon_threadsafe(batch.reports[host], Progressed(host, doing))

        thread = DeviceThread("ansible")
        try:
            return await thread.call(run_playbook, tasks, self._options, report_task, batch.stop)
        finally:
            thread.stop()


async def _watch(batch: _Batch, device: str, stop: threading.Event) -> None:
    """Stop a run when every host of it is to stop."""
    while not stop.is_set():  # noqa: ASYNC110 a device's stop is an event of threads
        await asyncio.sleep(0.1)
    batch.leaving.add(device)
    if batch.leaving >= batch.tasks.keys():
        batch.stop.set()
