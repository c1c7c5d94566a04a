"""A site whose hosts and switches answer checks with traffic from memory, with one fault at a time.

Host counters are named as mlx5 names them, or as rxe does; perftest's output is laid out as that of release 4.5.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from rackproof.connect.access import LoadedAccess
from rackproof.connect.errors import UnreachableError
from rackproof.facts.models import PortCounters
from rackproof.measure.counters.infiniband import guid_digits, port_number
from rackproof.measure.counters.port_counters import Enough, SwitchReading
from rackproof.measure.remote.runner import HostJobs, HostResult, JobResult, failed_host
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.pairs import End
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.measure.traffic.rail_ports import RailPort, rail_ports
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.plan.hosts.intent import host_intent
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from rackproof.site.as_built import AsBuilt
from tests.validation.recorded_hosts import Patients
from validation.expected.subjects import Fabric, SiteUnderTest
from validation.verdict.evidence import EvidenceBook
from validation.verdict.judge import Judge, Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Mapping
    from pathlib import Path

    from rackproof.plan.model.host import HostIntent
    from rackproof.plan.model.plan import LinkEnd, Plan

MTU = 4096
SWITCH = "fc6a1c0300e7ecc0"
RAILS = 4
"""Of each server: enough to distinguish them."""
HELP = "      --bind_source_ip Source IP\n      --use_cuda_bus_id=<cuda full BUS id>\n"
BANDWIDTH = """ RDMA_Write BW Test
 Dual-port       : OFF		Device         : {device}
 Number of qps   : 4		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 Mtu             : {mtu}[B]
 Link type       : Ethernet
 GID index       : 3
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 {size}    {messages}             {value:.2f}             {value:.2f}		     0.046
---------------------------------------------------------------------------------------
"""
LATENCY = """ RDMA_Read Latency Test
 Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 Mtu             : {mtu}[B]
 Link type       : Ethernet
 GID index       : 3
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 {size}       {messages}          {value:.2f}        9.00      {value:.2f}  	       {value:.2f}     	0.10		8.00 		9.00
"""  # noqa: E501 as it is printed


@cache
def planned(site: Path) -> PlannedSite:
    return plan_site(site)


@dataclass
class World:
    """The state of the site, and its faults."""

    planned: PlannedSite
    ports: dict[End, RailPort]
    software: bool = False
    infiniband: bool = False
    rate: dict[End, str] = field(default_factory=dict)
    swapped: dict[End, End] = field(default_factory=dict)
    """Rail port to the one whose cable it has."""
    managers: dict[str, str] = field(default_factory=dict)
    """Host to the output of ``sminfo`` there."""
    symbol_errors: int = 0
    wrong_bits: float = 1e-8
    module: str = ""
    """Output of ``ethtool -m`` for every module."""
    outage_s: float = 0.2
    """How long hosts do not reach each other while a device or leg is down."""
    back_s: float | None = 60.0
    """Seconds until a restarted device is back; None: never."""
    restarted: list[str] = field(default_factory=list)
    ill: tuple[str, str, str] | None = None
    """Command of a host's facts, a text of its output, and the text that replaces it from the second reading on."""
    waited: str = '{"longest_s": 0.01, "answers": 1100, "same": true}'
    """Output of the probe on every client of storage."""
    stored: str = '{"bytes": 17179869184, "wrote_s": 4.0, "read_s": 3.0, "same": true}'
    """Output of the write-and-read load on every client."""
    slow: set[End] = field(default_factory=set)
    """Rail ports with half the bandwidth and ten times the latency."""
    silent: set[str] = field(default_factory=set)
    """Hosts that do not answer."""
    without_rdma: set[End] = field(default_factory=set)
    over_tcp: bool = False
    """Adapters count no RDMA, as if the traffic ran over TCP."""
    queue: int = 3
    """Queue in which switches send RDMA."""
    leaks: dict[End, End] = field(default_factory=dict)
    """A rail port to the one that carries its packets as well."""
    drops: int = 0
    paused: int = 3
    """Priority of pause frames."""
    storms: int = 0
    marks: int = 7
    refuses: set[End] = field(default_factory=set)
    """Rail ports that refuse connections."""
    bridges: bool = False
    """Rails that the plan separates reach each other."""
    unreached: set[End] = field(default_factory=set)
    cuda: bool = True
    uncounted: bool = False
    """Switches do not count PFC."""
    rdma: dict[End, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    switched: dict[LinkEnd, PortCounters] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    """Every command that a host ran."""

    def counts(self, host: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for end, port in self.ports.items():
            if end.host == host:
                ethtool = {f"{way}_prio3_pause": self.rdma[end][f"{way}_pause"] for way in ("rx", "tx")}
                ethtool["rx_bytes_phy"] = self.rdma[end]["received"]
                ethtool["rx_corrected_bits_phy"] = int(self.rdma[end]["received"] * 8 * self.wrong_bits)
                found[port.port] = {"netdev": port.port, "rdma": self._named(end), "net": {}, "ethtool": ethtool}
        return deepcopy(found)

    def _named(self, end: End) -> dict[str, int]:
        held = self.rdma[end]
        if self.software:
            return {
                "sent_pkts": held["sent_packets"],
                "rcvd_pkts": held["received_packets"],
                "rcvd_seq_err": held["lost"],
            }
        return {
            "port_xmit_data": held["sent"] // 4,
            "port_rcv_data": held["received"] // 4,
            "port_xmit_packets": held["sent_packets"],
            "port_rcv_packets": held["received_packets"],
            "packet_seq_err": held["lost"],
            "symbol_error": held["symbols"],
            "link_downed": 0,
            "np_cnp_sent": held["cnp_sent"],
            "rp_cnp_handled": held["cnp_taken"],
            "np_ecn_marked_roce_packets": held["marked"],
        }

    def inventory(self, host: str) -> dict[str, Any]:
        devices = {
            port.port: {
                "netdev": port.port, "driver": "" if self.software else "mlx5_core", "state": "4: ACTIVE",
                "physical_state": "5: LinkUp", "rate": self.rate.get(end, "400 Gb/sec (4X NDR)"), "guid": guid(end),
                "link_layer": "InfiniBand" if self.infiniband else "Ethernet",
                "lid": "0x0", "mtu": "9216", "pci": [f"0000:{end.rail:02x}:00.0", f"0000:{end.rail:02x}:01.0"],
                "gids": [{"index": 3, "gid": f"::ffff:{port.address}", "type": "RoCE v2"}],
            }
            for end, port in self.ports.items() if end.host == host and end not in self.without_rdma
        }  # fmt: skip
        gpus = [{"vendor": "nvidia", "pci": [f"0000:{rail:02x}:00.0", f"0000:{rail:02x}:02.0"]} for rail in range(8)]
        return {"devices": devices, "gpus": gpus}

    def transfer(self, one: End, other: End, argv: list[str]) -> JobResult:
        """Return the result of one side writing to, or reading from, the other."""
        size, messages = int(argv[argv.index("--size") + 1]), int(argv[argv.index("--iters") + 1])
        flows = int(argv[argv.index("--qp") + 1]) if "--qp" in argv else 1
        reads = argv[0] == "ib_read_lat"
        if other in self.refuses:
            return JobResult(1, "", "Couldn't connect to 10.0.0.1:18515\nUnable to open socket connection\n", 0.1)
        ways = [(other, one) if reads else (one, other)] + ([(other, one)] if "--bidirectional" in argv else [])
        for sender, receiver in ways:
            self._count(sender, receiver, size * messages * flows, messages * flows)
        if reads:
            self._pass(one, other, messages)
        halved = bool({one, other} & self.slow)
        speed = min(self.ports[end].speed_gbps for end in (one, other)) * 0.97 * len(ways)
        value = (40.0 if halved else 4.0) if reads else (speed / 2 if halved else speed)
        text = LATENCY if reads else BANDWIDTH
        return JobResult(0, text.format(device="d", mtu=MTU, size=size, messages=messages, value=value), "", 2.0)

    def _count(self, sender: End, receiver: End, data: int, messages: int) -> None:
        if not self.over_tcp:
            self.rdma[sender]["sent"] += data
            self.rdma[receiver]["received"] += data
            self.rdma[sender]["sent_packets"] += max(data // MTU, messages)
            self.rdma[receiver]["received_packets"] += max(data // MTU, messages)
        for end in (sender, receiver):
            if end in self.leaks:
                self.rdma[self.leaks[end]]["sent_packets"] += data // MTU
        self.rdma[sender]["lost"] += self.drops
        self.rdma[receiver]["marked"] += self.marks
        self.rdma[receiver]["cnp_sent"] += self.marks
        self.rdma[sender]["cnp_taken"] += self.marks
        self.rdma[receiver]["symbols"] += self.symbol_errors
        self._pass(sender, receiver, max(data // MTU, messages))

    def _pass(self, _sender: End, receiver: End, packets: int) -> None:
        """Count packets on the receiver's switch port, with a few of the connection setup in queue 0."""
        at = self.ports[receiver].at
        held = self.counted(at)
        self.switched[at] = replace(
            held,
            class_packets=added(held.class_packets, {0: 20, self.queue: packets}),
            class_drops=added(held.class_drops, {3: self.drops}),
            ecn_marked=(held.ecn_marked or 0) + self.marks,
            pfc_tx=added(held.pfc_tx, {} if self.uncounted else {self.paused: 5}),
            watchdog=added(held.watchdog, {} if self.uncounted else {3: self.storms}),
        )

    def counted(self, at: LinkEnd) -> PortCounters:
        none = dict.fromkeys(range(8), 0)
        pfc = {} if self.uncounted else none
        new = PortCounters(at.port, class_packets=none, class_drops=none, ecn_marked=0, pfc_rx=pfc, pfc_tx=pfc)
        return self.switched.get(at, replace(new, watchdog={} if self.uncounted else {3: 0}))

    def ping(self, argv: list[str]) -> JobResult:
        if "-i" in argv:
            asked = range(1, int(argv[argv.index("-c") + 1]) + 1)
            lost = range(10, 10 + round(self.outage_s / 0.2))
            rows = [f"64 bytes from {argv[-1]}: icmp_seq={number} ttl=64 time=0.1 ms" for number in asked]
            return JobResult(0, "\n".join(row for number, row in enumerate(rows, 1) if number not in lost), "", 1.0)
        by_address = {port.address: end for end, port in self.ports.items()}
        one, other = by_address[argv[argv.index("-I") + 1]], by_address[argv[-1]]
        through = (one.rail == other.rail or self.bridges) and one not in self.unreached
        return JobResult(0 if through else 1, "", "", 0.1)

    def subnet(self) -> JobResult:
        """Output of ``ibnetdiscover``: one switch without split ports, adapters in the order of its ports."""
        rows = {}
        for end in self.ports:
            number = port_number(self.ports[self.swapped.get(end, end)].at.port)
            host = guid_digits(guid(end))
            rows[number] = f'[{number}]\t"H-{host}"[1]({host}) \t\t# "{end.host} mlx5_{end.rail}" lid {number} 4xNDR'
        head = f'switchguid=0x{SWITCH}({SWITCH})\nSwitch\t65 "S-{SWITCH}"\t\t# "QM9790" base port 0 lid 99 lmc 0\n'
        return JobResult(0, head + "\n".join(rows[number] for number in sorted(rows)) + "\n\nvendid=0x2c9\n", "", 1.0)


def guid(end: End) -> str:
    """As sysfs writes it."""
    return f"a088:c203:00{int(end.host[-1]):02x}:00{end.rail:02x}"


def added(held: Mapping[int, int], more: Mapping[int, int]) -> dict[int, int]:
    return {key: held.get(key, 0) + more.get(key, 0) for key in {**held, **more}}


class MemoryRun:
    """A run of jobs in memory."""

    def __init__(self, world: World, host_jobs: Mapping[str, HostJobs]) -> None:
        self.world, self.host_jobs = world, host_jobs
        self.before: dict[str, Any] = {}

    async def start_servers(self) -> None:
        self.before = {host: self.world.counts(host) for host in self.host_jobs}

    async def run_clients(self) -> dict[str, HostResult]:
        silent = self.world.silent
        servers = [(host, job.port) for host, scene in self.host_jobs.items() for job in scene.servers.values()]
        assert len(servers) == len(set(servers))
        listening = set(servers)
        done: dict[str, dict[str, JobResult]] = {
            host: dict.fromkeys(scene.servers, JobResult(0, "", "", 2.0)) for host, scene in self.host_jobs.items()
        }
        for host, scene in self.host_jobs.items():
            for key, job in scene.clients.items() if host not in silent else ():
                self.world.commands.append(" ".join(job.argv))
                done[host][key] = self._outcome(host, job.argv, listening)
        return {
            host: failed_host(f"{host}: no answer in time") if host in silent
            else HostResult(self.before[host], self.world.counts(host), done[host], self.world.inventory(host))
            for host in self.host_jobs
        }  # fmt: skip

    def _others(self, host: str, argv: list[str]) -> dict[str, JobResult]:
        stored = self.world.waited if "PAUSE_S" in " ".join(argv) else self.world.stored
        return {
            "ethtool": JobResult(0, self.world.module, "", 0.1),
            "sh": JobResult(0, "", "", 10.0),
            "ibnetdiscover": self.world.subnet() if self.world.infiniband else JobResult(1, "", "no subnet", 0.1),
            "sminfo": JobResult(0, self.world.managers.get(host, ""), "", 0.1),
            "python3": JobResult(0, stored, "", 5.0) if stored else JobResult(1, "", "OSError: stale\n", 5.0),
        }

    def _outcome(self, host: str, argv: list[str], listening: set[tuple[str, int]]) -> JobResult:
        if argv[-1] == "--help":
            return JobResult(0, HELP if self.world.cuda else HELP.splitlines()[0], "", 0.1)
        if argv[0] == "ping":
            return self.world.ping(argv)
        if argv[0] in (others := self._others(host, argv)):
            return others[argv[0]]
        by_address = {port.address: end for end, port in self.world.ports.items()}
        peer = by_address[argv[-1]]
        assert (peer.host, int(argv[argv.index("--port") + 1])) in listening
        own = next(end for end, port in self.world.ports.items() if end.host == host and port.port == argv[2])
        return self.world.transfer(own, peer, argv)


@dataclass
class MemoryDevices:
    """Remote runner, switch reader and device control of a world."""

    world: World

    @asynccontextmanager
    async def open_run(self, host_jobs: Mapping[str, HostJobs]) -> AsyncIterator[MemoryRun]:
        yield MemoryRun(self.world, host_jobs)

    async def close(self) -> None:
        """No connection is open."""

    async def restart(self, device: str) -> str:
        if device in self.world.silent:
            raise UnreachableError(device, "no answer")
        self.world.restarted.append(device)
        return f"start of {device}"

    async def wait_restarted(self, device: str, before: str, limit_s: float) -> float | None:
        assert before == f"start of {device}"
        assert limit_s > 0
        return self.world.back_s

    async def read(self, ends: Collection[LinkEnd], enough: Enough | None = None) -> SwitchReading:
        if self.world.infiniband:
            return SwitchReading({}, {})
        ports = {end: self.world.counted(end) for end in ends}
        reading = SwitchReading(ports, {})
        assert enough is None or enough(reading) or self.world.over_tcp or self.world.refuses
        return reading


@dataclass(frozen=True)
class WorldSite:
    """The part of a site that checks with traffic read."""

    planned: PlannedSite
    evidence: EvidenceBook
    log_folder: Path
    access: LoadedAccess

    @property
    def plan(self) -> Plan:
        return self.planned.plan

    def intent(self, server: str) -> HostIntent:
        return host_intent(host_sources(self.planned, AsBuilt()), server)


@dataclass
class Bench:
    """Runs checks on a world."""

    world: World
    folder: Path
    rehearsal: bool = False
    soak_hours: float = 0.0
    reached: tuple[str, ...] = ()
    """Devices that access.yaml names."""
    absent: frozenset[str] = frozenset()
    """Devices without a machine in the lab."""

    def judged(self, check_id: str, check: Callable[..., None], fabric: str = "backend") -> Judge:
        plan = self.world.planned.plan
        book = EvidenceBook(rehearsal=self.rehearsal, absent=self.absent)
        entry = DeviceAccess(host="192.0.2.1", user="ops", password=CredentialReference(env="NONE"))
        access = LoadedAccess(Access(devices=dict.fromkeys(self.reached, entry)), self.folder)
        site = WorldSite(self.world.planned, book, self.folder, access)
        servers = frozenset(end.host for end in self.world.ports)
        live = TrafficSite(plan, servers, self.rehearsal, dict.fromkeys(servers, "nvidia"))
        live.__dict__["ports"] = self.world.ports  # fewer rails than the plan has
        stand = MemoryDevices(self.world)
        judge = Judge(check_id, rules=Rules(devices=frozenset((*plan.switches, *plan.servers))))
        campaign = Campaign(live, stand, stand, stand, Patients(self.world), self.soak_hours)
        check(Fabric(fabric, cast("SiteUnderTest", site), judge.add_evidence), campaign, judge)
        campaign.close()
        return judge


def site_world(site: Path) -> World:
    found = planned(site)
    return World(found, {end: port for end, port in rail_ports(found.plan).items() if end.rail < RAILS})
