"""The routing table."""

from lab.switches.links import LabRoute
from lab.switches.nos.enterprise_sonic.executive import Executive, Request

_CODES = {"bgp": "B>*", "connected": "C>*", "static": "S>*"}
_WIDTHS = (7, 20, 28, 16, 12, 16)


def _row(*cells: str) -> str:
    return " " + "".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()


async def routes(request: Request) -> str:
    """Columns as AMD's node-scraper reads them: code, prefix, gateway, interface, distance and metric, age."""
    system = request.system
    router = system.forwarding.router
    paths = 1 if router is None else router.paths
    lines = [
        "Codes:  K - kernel route, C - connected, S - static, B - BGP, O - OSPF",
        "       > - selected route, * - FIB route, q - queued route, r - rejected route",
        _row("", "Destination", "Gateway", "", "Dist/Metric", "Last Update"),
        "-" * sum(_WIDTHS),
    ]
    lines.extend(_row("C>*", address, "Direct", "Loopback0", "0/0", "0:10:00 ago") for address in _own(request))
    for route in system.switch.links.routes(system.spec.name):
        lines.extend(_lines(route, paths))
    return "\n".join(lines) + "\n"


def _own(request: Request) -> tuple[str, ...]:
    held = request.system.forwarding.loopbacks
    learned = {route.prefix for route in request.system.switch.links.routes(request.system.spec.name)}
    return tuple(address for address in held if address not in learned)


def _lines(route: LabRoute, paths: int) -> list[str]:
    code = _CODES.get(route.protocol, "K>*")
    ports = route.ports[:paths] or ("Null0",)
    gateway = "Direct" if route.protocol == "connected" else "via fe80::1"
    first = _row(code, route.prefix, gateway, ports[0], "20/0" if code == "B>*" else "0/0", "0:10:00 ago")
    return [first, *(_row(" *", "", gateway, port, "", "") for port in ports[1:])]


COMMANDS = (Executive("show ip route", "AMD node-scraper, switch_dell collector", routes),)
