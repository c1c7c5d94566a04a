"""Interfaces: status, breakout, transceivers, counters."""

from hashlib import sha256

from lab.switches.links import QueueCounters
from lab.switches.nos.enterprise_sonic import ports
from lab.switches.nos.enterprise_sonic.executive import Executive, Request
from lab.switches.nos.enterprise_sonic.tree import natural

_STATUS_WIDTHS = (20, 30, 12, 15, 10, 15, 15, 15)


def _row(widths: tuple[int, ...], *cells: str) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _names(request: Request) -> list[str]:
    return sorted(request.system.state.ports, key=natural)


async def status(request: Request) -> str:
    """Columns as 4.x prints them (sonic_interfaces of the dellemc.enterprise_sonic collection)."""
    system = request.system
    rule = "-" * sum(_STATUS_WIDTHS)
    head = _row(_STATUS_WIDTHS, "Name", "Description", "Oper", "Reason", "AutoNeg", "Speed", "MTU", "Alternate Name")
    lines = [rule, head, rule]
    for name in _names(request):
        port = system.state.ports[name]
        up = system.switch.links.is_up(system.spec.name, name)
        lines.append(
            _row(
                _STATUS_WIDTHS,
                name,
                _cut(port.description) or "-",
                "up" if up else "down",
                _reason(request, name, up=up),
                "on" if port.autonegotiation else "off",
                str(port.speed_mbps),
                str(port.mtu_bytes),
                port.native_name,
            )
        )
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    return text if len(text) < 30 else f"{text[:26]}..."


def _reason(request: Request, name: str, *, up: bool) -> str:
    if up:
        return "oper-up"
    if not request.system.state.ports[name].admin_up:
        return "admin-down"
    plugged = request.system.switch.links.cable(request.system.spec.name, name)
    return "phy-link-down" if plugged else "no-transceiver"


async def breakout(request: Request) -> str:
    """show_interface_breakout.j2: one row a port, its interfaces below each other."""
    system = request.system
    wanted = request.arguments.get("port")
    rule = "-" * 47
    lines = [rule, f"{'Port':6}{'Breakout Mode':15}{'Status':14}{'Interfaces':20}".rstrip(), rule]
    for number in system.spec.ports:
        if wanted is not None and wanted != f"1/{number}":
            continue
        mode = ports.breakout_mode(system.configuration, number)
        if wanted is None and mode is None:
            continue
        keys = sorted(ports.interface_keys(system.configuration, number), key=natural)
        names = [key.removeprefix("interface ") for key in keys]
        lines.append(f"{f'1/{number}':6}{mode or 'Default':15}{'Completed':14}{names[0]}")
        lines.extend(f"{'':35}{name}" for name in names[1:])
    return "\n".join(lines) + "\n" if len(lines) > 3 else "No valid breakout configurations\n"


async def modes(request: Request) -> str:
    """show_breakout_caps.j2."""
    rule = "-" * 73
    lines = [rule, f"{'Port':6}{'Interface':12}{'Supported Modes':42}{'Default Mode'}", rule]
    for port in request.system.spec.ports.values():
        default = f"1x{port.speed_mbps // 1000}G"
        supported = ", ".join(port.modes) or default
        lines.append(f"{f'1/{port.number}':6}{ports.port_name(port.number):12}{supported:42}{default}")
    return "\n".join(lines) + "\n"


async def transceivers(request: Request) -> str:
    """Columns as printed by a Z9664F-ON (AMD's cluster networking guide)."""
    system = request.system
    widths = (13, 40, 18, 18, 18, 18, 9)
    rule = "-" * sum(widths)
    head = _row(widths, "Interface", "Name", "Vendor", "Part No.", "Serial No.", "QSA Adapter", "Qualified")
    lines = [rule, head, rule]
    for name in _names(request):
        cable = system.switch.links.cable(system.spec.name, name)
        if cable is None:
            lines.append(_row(widths, name, "N/A", "N/A", "N/A", "N/A", "N/A", "False"))
            continue
        digest = sha256(f"{cable.a}{cable.b}".encode()).hexdigest().upper()
        part = cable.part_at(system.spec.name) or digest[:5]
        kind, serial = cable.cable[: widths[1] - 2], f"CN{digest[5:17]}"
        lines.append(_row(widths, name, kind, "DELL EMC", part, serial, "N/A", "True"))
    return "\n".join(lines) + "\n"


async def counters(request: Request) -> str:
    """show_interface_counters.j2; all zero in a lab whose links are computed."""
    widths = (15, 10, *(22 for _ in range(8)))
    titles = ("RX_OK", "RX_ERR", "RX_DRP", "RX_OVERSIZE", "TX_OK", "TX_ERR", "TX_DRP", "TX_OVERSIZE")
    rule = "-" * sum(widths)
    lines = [rule, _row(widths, "Interface", "State", *titles), rule]
    for name in _names(request):
        links, switch = request.system.switch.links, request.system.spec.name
        held = links.counters(switch, name)
        received = (held.in_packets, 0, held.in_drops, 0)
        sent = (held.out_packets, 0, held.out_drops, 0)
        state = "U" if links.is_up(switch, name) else "D"
        lines.append(_row(widths, name, state, *map(str, (*received, *sent))))
    return "\n".join(lines) + "\n"


async def fec(request: Request) -> str:
    """Columns as AMD's node-scraper reads them: the type may be empty, the last three never are."""
    widths = (14, 34, 12, 12, 8)
    rule = "-" * sum(widths)
    lines = [rule, _row(widths, "Interface", "Type", "Oper", "Admin", "If-State"), rule]
    for name in _names(request):
        links, switch = request.system.switch.links, request.system.spec.name
        cable, up = links.cable(switch, name), links.is_up(switch, name)
        held = request.system.state.ports[name].fec
        kind = "N/A" if cable is None else cable.cable
        lines.append(_row(widths, name, kind[: widths[1] - 2], held if up else "N/A", held, "up" if up else "down"))
    return "\n".join(lines) + "\n"


async def pfc(request: Request) -> str:
    """Form of show_qos_interface_pfc_statistics.j2; no kernel sends pause frames: simulated, and none."""
    lines: list[str] = []
    for direction in ("received", "transmitted"):
        lines.extend(("", f"Flow Control frames {direction}"))
        lines.append(f"{'Interface':12}" + "".join(f"PFC{number}".rjust(12) for number in range(8)))
        lines.append("  ".join(("------------", *("----------" for _ in range(8)))))
        lines.extend(f"{name:12}" + "0".rjust(12) * 8 for name in _names(request))
    return "\n".join(lines) + "\n"


async def queues(request: Request) -> str:
    """show_qos_queue_counters.j2; all zero in a lab whose links are computed."""
    widths = (15, 5, *(22 for _ in range(7)))
    titles = ("Counter/pkts", "Counter/bytes", "Rate/PPS", "Rate/BPS", "Rate/bPS", "Drop/pkts", "Drop/bytes")
    rule = "-" * sum(widths)
    lines = [rule, _row(widths, "Port", "TxQ", *titles), rule]
    for name in _names(request):
        held = request.system.switch.links.counters(request.system.spec.name, name).queues
        for number in range(8):
            queue = held.get(number, QueueCounters())
            sent = (str(queue.packets), str(queue.bytes), "0/s", "0/s", "0/s")
            lines.append(_row(widths, name, f"UC{number}", *sent, str(queue.drop_packets), str(queue.drop_bytes)))
    return "\n".join(lines) + "\n"


COMMANDS = (
    Executive("show interface status", "D interfaces", status),
    Executive("show interface breakout [port <port:front-panel-port>]", "X dynamic_port_breakout", breakout),
    Executive("show interface breakout modes", "X dynamic_port_breakout", modes),
    Executive("show interface transceiver [summary]", "X interface; A", transceivers),
    Executive("show interface counters", "X interface", counters),
    Executive("show interface fec status", "AMD node-scraper, switch_dell collector", fec),
    Executive("show priority-flow-control statistics", "githedgehog/fabric show-tech; X qos_interface", pfc),
    Executive("show queue counters", "X qos_counter", queues),
)
