"""Queues of ports: marks, the PFC watchdog, how full they were."""

from lab.switches.nos.enterprise_sonic.executive import Executive, Request
from lab.switches.nos.enterprise_sonic.tree import natural

_QUEUES = range(8)


def _names(request: Request) -> list[str]:
    return sorted(request.system.state.ports, key=natural)


def _row(widths: tuple[int, ...], *cells: object) -> str:
    return "".join(str(cell).ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


async def marks(request: Request) -> str:
    """Titles of SONiC's ``show queue wredcounters``; a kernel port counts marks as a whole: its first ECN queue's."""
    widths = (15, 5, *(22 for _ in range(4)))
    titles = ("WredDrp/pkts", "WredDrp/bytes", "EcnMarked/pkts", "EcnMarked/bytes")
    rule = "-" * sum(widths)
    lines = [rule, _row(widths, "Port", "TxQ", *titles), rule]
    for name in _names(request):
        marked = request.system.switch.links.counters(request.system.spec.name, name).ecn_marked
        marking = min(request.system.forwarding.ports[name].qos.ecn, default=None)
        counts = ((queue, marked if queue == marking else 0) for queue in _QUEUES)
        lines.extend(_row(widths, name, f"UC{queue}", 0, 0, count, 0) for queue, count in counts)
    return "\n".join(lines) + "\n"


async def watchdog(request: Request) -> str:
    """Columns as AMD's node-scraper reads them; no kernel pauses a queue: simulated, and no storm."""
    widths = (15, 8, 14, *(18 for _ in range(10)))
    titles = ("StormsDetected", "StormsRestored", "TransmittedOK", "TransmittedDrop", "ReceivedOK", "ReceivedDrop")
    latest = ("TxLastOK", "TxLastDrop", "RxLastOK", "RxLastDrop")
    lines = [_row(widths, "Interface", "Queue", "Status", *titles, *latest), "-" * sum(widths)]
    for name in _names(request):
        watched = sorted(request.system.forwarding.ports[name].qos.lossless)
        lines.extend(_row(widths, name, queue, "operational", *(0 for _ in range(10))) for queue in watched)
    return "\n".join(lines) + "\n"


async def watermarks(request: Request) -> str:
    """Form of SONiC's ``show queue watermark unicast``; no kernel queue has its own buffer: simulated, and empty."""
    widths = (15, *(10 for _ in _QUEUES))
    lines = [_row(widths, "Port", *(f"UC{queue}" for queue in _QUEUES)), "-" * sum(widths)]
    lines.extend(_row(widths, name, *(0 for _ in _QUEUES)) for name in _names(request))
    return "\n".join(lines) + "\n"


COMMANDS = (
    Executive("show queue wred-ecn counters", "spytest apis/qos; titles U", marks),
    Executive(
        "show qos interface Eth all queue all priority-flow-control watchdog-statistics",
        "AMD node-scraper, switch_dell collector",
        watchdog,
    ),
    Executive("show queue watermark unicast", "AMD node-scraper, switch_dell collector; X qos_watermark", watermarks),
)
