"""Network namespaces of a lab: created, listed, and removed with everything in them."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from lab.fabric.command import run
from lab.spec.kernel_names import PREFIX

FOLDER: Final = Path("/run/netns")
_SYSCTLS: Final = {
    "net.ipv4.ip_forward": 1,
    "net.ipv6.conf.all.forwarding": 1,
    "net.ipv4.conf.all.rp_filter": 0,
    "net.ipv4.conf.default.rp_filter": 0,
    # An address is answered for in its own VLAN only.
    "net.ipv4.conf.all.arp_ignore": 2,
    # Addresses and ports decide which of several equal paths a flow takes, as an ASIC has it.
    "net.ipv4.fib_multipath_hash_policy": 1,
    "net.ipv4.conf.all.ignore_routes_with_linkdown": 1,
    # Both ends of a cable belong to the lab: link-local addresses are unique.
    "net.ipv6.conf.all.accept_dad": 0,
    "net.ipv6.conf.default.accept_dad": 0,
    "net.ipv6.conf.default.accept_ra": 0,
}
_DYING_S: Final = 3.0


def run_folder(lab_id: str) -> Path:
    """Return where the daemons of a lab's fabric keep their sockets."""
    return Path("/run") / f"{PREFIX}{lab_id}"


async def make(names: Iterable[str]) -> None:
    """Create namespaces that forward packets.

    Raises
    ------
    FabricError
        This process is not allowed to, or a namespace of that name exists.
    """
    found = tuple(names)
    await run("ip", "-batch", "-", text="".join(f"netns add {name}\n" for name in found))
    settings = tuple(f"{key}={value}" for key, value in _SYSCTLS.items())
    for name in found:
        await run("ip", "netns", "exec", name, "sysctl", "-qw", *settings)
        await run("ip", "-n", name, "link", "set", "lo", "up")


def lab_namespaces(lab_id: str) -> tuple[str, ...]:
    """Return the existing namespaces of a lab."""
    if not FOLDER.is_dir():
        return ()
    return tuple(sorted(path.name for path in FOLDER.glob(f"{PREFIX}{lab_id}-*")))


async def sweep(lab_id: str) -> int:
    """Remove the remains of a lab's fabric: processes, namespaces with their interfaces, sockets.

    Works also when the process that created them was killed, and when there is nothing.

    Returns
    -------
    int
        Number of namespaces removed.
    """
    names = lab_namespaces(lab_id)
    for name in names:
        await _end_processes(name)
    for name in names:
        await run("ip", "netns", "delete", name)
    shutil.rmtree(run_folder(lab_id), ignore_errors=True)
    return len(names)


async def _end_processes(namespace: str) -> None:
    """End the processes in a namespace, with SIGTERM and then SIGKILL."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        pids = [int(word) for word in (await run("ip", "netns", "pids", namespace, tolerant=True)).split()]
        handles: list[int] = []
        for pid in pids:
            with suppress(ProcessLookupError):
                handles.append(os.pidfd_open(pid))
                signal.pidfd_send_signal(handles[-1], how)
        await asyncio.gather(*(_gone(handle) for handle in handles))
        if not pids:
            return


async def _gone(handle: int) -> None:
    """Wait for the end of a process, at most as long as a daemon may take to clean up."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def note() -> None:
        if not ended.done():
            ended.set_result(None)

    loop.add_reader(handle, note)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(ended, _DYING_S)
    finally:
        loop.remove_reader(handle)
        os.close(handle)
