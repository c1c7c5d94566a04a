"""Storage: file systems are mounted with the planned transport, options and connections."""

from collections import Counter

from rackproof.facts.hosts.mounts import FACT as MOUNTS
from rackproof.facts.hosts.mounts import Mounts, NetworkMount
from rackproof.plan.model.host import Mount
from validation.expected.fixtures import Judge, Server, applies_to, requirements
from validation.expected.server_ports import up_remedy

NOT_MOUNTED = "the file system is not mounted"
TRANSPORTS = {"nfs": "tcp", "nfs-rdma": "rdma"}
OURS = frozenset({"_netdev", "nofail"})
"""Options of systemd.mount(5), which the kernel does not see."""
BY_KERNEL = frozenset({"proto", "port", "nconnect"})
"""Options that say what was asked for, where other checks look at what came of it."""


def mounted(server: Server, judge: Judge, asked: Mount, found: Mounts) -> NetworkMount | None:
    """Return a mount as found; None, and an error, where it is not there: another check fails on that."""
    mount = found.get(asked.path)
    if mount is None:
        judge.error(f"{server.name}:{asked.path}", NOT_MOUNTED, f"`ls {asked.path}` on {server.name} mounts it")
    return mount


@applies_to(lambda server: bool(server.intent.mounts))
@requirements("STOR01", "BMAAS01")
def test_file_systems_are_mounted(server: Server, judge: Judge) -> None:
    """Every planned file system is mounted, from the planned storage node."""
    found = server.fact(MOUNTS)
    for asked in server.intent.mounts:
        mount = found.get(asked.path)
        judge.expect_equal(
            f"{server.name}:{asked.path}",
            expected=f"{asked.servers[0]}:{asked.export}",
            actual=mount.source if mount else "not mounted",
            remedy=f"`ls {asked.path}` on {server.name} mounts it and says why not; does the node export it?",
        )


@applies_to(lambda server: bool(server.intent.mounts))
@requirements("N-016")
def test_transport_is_the_one_asked_for(server: Server, judge: Judge) -> None:
    """Every file system uses the planned transport: NFS over RDMA has not fallen back to TCP."""
    found = server.fact(MOUNTS)
    for asked in server.intent.mounts:
        mount = mounted(server, judge, asked, found)
        if mount is not None:
            used = Counter(mount.transports)
            judge.expect_equal(
                f"{server.name}:{asked.path}",
                expected=(TRANSPORTS[asked.protocol],),
                actual=tuple(sorted(used)),
                values={f"connections over {name}": str(count) for name, count in used.items()},
                remedy="does the storage node listen on port 20049, and is rpcrdma loaded here? then mount it again",
            )


@applies_to(lambda server: bool(server.intent.mounts))
@requirements("N-014", "DIR02")
def test_options_are_those_of_the_plan(server: Server, judge: Judge) -> None:
    """Every file system is mounted with the planned options.

    They include the version of NFS, and `hard`, which keeps writes while a server is down.
    """
    found = server.fact(MOUNTS)
    for asked in server.intent.mounts:
        mount = mounted(server, judge, asked, found)
        if mount is not None:
            wanted = [word.partition("=") for word in asked.options if word not in OURS]
            named = {name: value for name, _, value in wanted if name not in BY_KERNEL}
            judge.expect_equal(
                f"{server.name}:{asked.path}",
                expected=tuple(sorted(words(name, value) for name, value in named.items())),
                actual=tuple(sorted(words(name, mount.options[name]) for name in named if name in mount.options)),
                remedy=f"{up_remedy(server)}; then mount it again",
            )


def words(name: str, value: str) -> str:
    """Return an option as nfs(5) writes it."""
    return f"{name}={value}" if value else name


def planned_connections(mount: Mount) -> int | None:
    """Return how many connections a mount was asked to have; None: it was not."""
    return next((int(word.partition("=")[2]) for word in mount.options if word.startswith("nconnect=")), None)


@applies_to(lambda server: any(planned_connections(mount) for mount in server.intent.mounts))
@requirements("N-015")
def test_connections_are_as_many_as_asked_for(server: Server, judge: Judge) -> None:
    """NFS over TCP uses the planned number of connections."""
    found = server.fact(MOUNTS)
    for asked in server.intent.mounts:
        connections = planned_connections(asked)
        mount = mounted(server, judge, asked, found) if connections else None
        if mount is not None:
            judge.expect_equal(
                f"{server.name}:{asked.path}",
                expected=connections,
                actual=len(mount.transports),
                unit="connections",
                remedy="the first mount of a storage node sets it for all: unmount all of them, then mount again",
            )
