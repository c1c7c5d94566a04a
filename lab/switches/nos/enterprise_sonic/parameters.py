"""The kinds of parameters Klish knows, as sonic_types.xml of the management framework defines them (PTYPE).

A kind takes one or two words and returns what the configuration shows for them, or nothing where they do not fit.
"""

import re
from collections.abc import Callable, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, IPv6Interface, NetmaskValueError, ip_address
from itertools import chain

from lab.switches.nos.enterprise_sonic.words import quote

Reading = tuple[int, str]
"""How many words were taken, and the value."""
Kind = Callable[[Sequence[str]], Reading | None]


class OutOfRangeError(Exception):
    """A number of the right form outside its range; its text is the range as Klish prints it."""


def read(kind: str, words: Sequence[str]) -> Reading | None:
    """Read a parameter of a kind at the beginning of ``words``.

    Raises
    ------
    OutOfRangeError
        A number is outside the range of its kind.
    """
    span = _RANGE.fullmatch(kind)
    if span:
        return _integer(words, int(span[1]), int(span[2]))
    if "|" in kind:
        return (1, words[0]) if words[0] in kind.split("|") else None
    numbers = _LIST.fullmatch(kind)
    if numbers:
        return _numbers(words, int(numbers[1]), int(numbers[2]))
    return _KINDS[kind](words)


_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_LIST = re.compile(r"list (\d+)\.\.(\d+)")


def _integer(words: Sequence[str], least: int, most: int) -> Reading | None:
    if not re.fullmatch(r"-?\d+", words[0]):
        return None
    if not least <= int(words[0]) <= most:
        raise OutOfRangeError(f"{least}..{most}")
    return 1, str(int(words[0]))


def _numbers(words: Sequence[str], least: int, most: int) -> Reading | None:
    """DSCP_RANGE, VAL_0_7_RANGE, VLAN_RANGE: single numbers and spans, separated by commas."""
    found: set[int] = set()
    for part in words[0].split(","):
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if span is None:
            return None
        first, last = int(span[1]), int(span[2] or span[1])
        if not least <= first <= last <= most:
            return None
        found.update(range(first, last + 1))
    return 1, compress(found)


def compress(numbers: set[int]) -> str:
    """Return numbers as ``0-3,5``, as find_ranges of show_config_interface.py prints them."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def expand(text: str) -> list[int]:
    """Return the numbers of ``0-3,5``."""
    spans = (part.partition("-") for part in text.split(",") if part)
    return list(chain.from_iterable(range(int(first), int(last or first) + 1) for first, _, last in spans))


def _pattern(expression: str) -> Kind:
    compiled = re.compile(expression)
    return lambda words: (1, words[0]) if compiled.fullmatch(words[0]) else None


def _address(words: Sequence[str]) -> Reading | None:
    try:
        return 1, str(IPv4Address(words[0]))
    except AddressValueError:
        return None


def _interface_address(words: Sequence[str]) -> Reading | None:
    if "/" not in words[0]:
        return None
    try:
        return 1, str(IPv4Interface(words[0]))
    except (AddressValueError, NetmaskValueError):
        return None


def _interface_address_6(words: Sequence[str]) -> Reading | None:
    if "/" not in words[0]:
        return None
    try:
        return 1, str(IPv6Interface(words[0]))
    except (AddressValueError, NetmaskValueError):
        return None


def _host(words: Sequence[str]) -> Reading | None:
    """IPV4V6_ADDR or HOSTNAME_STR_64."""
    try:
        return 1, str(ip_address(words[0]))
    except ValueError:
        name = re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", words[0])
        return (1, words[0]) if name and not re.fullmatch(r"[\d.]+", words[0]) else None


def _banner(words: Sequence[str]) -> Reading | None:
    """A banner between two equal signs; shown with its text on lines of its own (sonic_system of the collection)."""
    text = " ".join(words)
    sign = text[0]
    if len(text) < len("@ @") or not text.endswith(sign):
        return None
    return len(words), f"{sign}\n{text[1:-1]}\n{sign}"


def _interface(*patterns: str) -> Kind:
    """Interface names may have a blank before the number: ``Eth 1/1``, ``vlan10`` (PHY_INTERFACE, VLAN_INTERFACE)."""
    forms = [(re.compile(_INTERFACES[name][0]), _INTERFACES[name][1]) for name in patterns]

    def take(words: Sequence[str]) -> Reading | None:
        for count in (1, 2):
            text = "".join(words[:count])
            for expression, form in forms:
                match = expression.fullmatch(text)
                if match and len(words) >= count:
                    return count, form.format(match[1])
        return None

    return take


_INTERFACES = {
    "Eth": (r"[eE](?:th|t)?(1/\d{1,3}(?:/\d{1,2})?)", "Eth{}"),
    "Vlan": (r"[vV](?:lan|l)?(\d{1,4})", "Vlan {}"),
    "PortChannel": (r"[pP](?:ortChannel|o)?(\d{1,3})", "PortChannel {}"),
    "Loopback": (r"[lL](?:oopback|oop|o)?(\d{1,5})", "Loopback {}"),
    "Management": (r"[mM](?:anagement|a)?(0)", "Management {}"),
}


_KINDS: dict[str, Kind] = {
    "name": _pattern(r"[A-Za-z0-9_-]{1,32}"),  # STRING_32
    "long-name": _pattern(r"[A-Za-z0-9_-]{1,63}"),  # STRING_63
    "host-name": _pattern(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?"),  # HOSTNAME_STR_64
    "vrf": _pattern(r"Vrf[A-Za-z0-9_-]{1,12}"),  # VRF_NAME
    "vtep": _pattern(r"vtep[A-Za-z0-9_-]{1,59}"),  # VTEP_NAME
    "word": lambda words: (1, words[0]),
    "text": lambda words: (1, quote(words[0])) if "|" not in words[0] and len(words[0]) <= 240 else None,  # STRING_240
    "banner": _banner,
    "line": lambda words: (len(words), " ".join(words)),
    "mac": _pattern(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"),  # MAC_ADDR
    "esi": _pattern(r"(?:[0-9a-fA-F]{2}:){9}[0-9a-fA-F]{2}"),
    "ipv4": _address,
    "ipv4/len": _interface_address,
    "ipv6/len": _interface_address_6,
    "host": _host,
    "front-panel-port": _pattern(r"1/\d{1,3}"),  # FRONT_PANEL_PORT
    "breakout": _pattern(r"[1248]x(?:10|25|40|50|100|200|400|800)G"),  # DPB_MODE, with the speeds of later releases
    "eth": _interface("Eth"),
    "vlan": _interface("Vlan"),
    "port-channel": _interface("PortChannel"),
    "loopback": _interface("Loopback"),
    "management": _interface("Management"),
    "bgp-interface": _interface("Eth", "PortChannel", "Vlan"),
    "interface": _interface("Eth", "PortChannel", "Vlan", "Loopback", "Management"),
    "speeds": _pattern(r"\d+(?:,\d+)*"),  # speeds to advertise: sonic_interfaces
    "priority-pair": _pattern(r"[0-7],[0-7]"),  # two priorities, separated by a comma: sonic_roce
    "authentication": _pattern(r"(?:password|cert|jwt|none)(?:,(?:password|cert|jwt|none))*"),  # AUTH_TYPES
}
