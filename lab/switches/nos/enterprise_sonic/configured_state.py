"""The configured state of ports and BGP, from the configuration."""

from collections.abc import Iterator
from ipaddress import ip_interface
from itertools import chain

from lab.spec.models import SwitchSpec
from lab.switches.device_state import BgpPeer, BgpSpeaker, DeviceState, PortState, default_fec
from lab.switches.nos.enterprise_sonic.overlay import overlay
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration

_FEC = {"RS": "rs", "FC": "fc", "off": "none", "none": "none"}


def host_name(configuration: Configuration) -> str:
    """Return the configured host name."""
    return configuration.root.argument("hostname") or "sonic"


def device_state(configuration: Configuration, spec: SwitchSpec) -> DeviceState:
    """Return the configured state of a switch."""
    lldp = "lldp enable" not in configuration.root.lines
    ports = {block.facts["name"]: _port(block, lldp=lldp) for _, block in configuration.blocks("ethernet")}
    management = configuration.root.children.get("interface Management 0")
    address = management.text("ip address") if management else None
    return DeviceState(
        name=host_name(configuration),
        ports=ports,
        bgp=_bgp(configuration),
        chassis_mac=spec.management_mac,
        description=f"SONiC Software Version: {spec.hwsku}",
        management_address=address.split()[2].partition("/")[0] if address else None,
        overlay=overlay(configuration),
    )


def _port(block: Block, *, lldp: bool) -> PortState:
    speed_mbps = _speed(block)
    return PortState(
        name=block.facts["name"],
        native_name=block.facts["native"],
        admin_up=block.text("shutdown") == "no shutdown",
        usable=block.facts["usable"] == "yes",
        speed_mbps=speed_mbps,
        fec=_FEC.get(block.argument("fec") or "", default_fec(speed_mbps)),
        mtu_bytes=int(block.argument("mtu") or 9100),
        description=(block.text("description") or "").removeprefix("description ").strip('"'),
        lldp=lldp and "lldp enable" not in block.lines,
        ipv6_link_local="ipv6 enable" in block.lines,
        addresses=_addresses(block),
        autonegotiation=(block.text("speed") or "").startswith("speed auto"),
        group=block.argument("channel-group"),
    )


def _speed(block: Block) -> int:
    """Return the speed a port runs at; negotiation ends at the highest speed that is advertised."""
    stated = (block.text("speed") or "").split()[-1:]
    if not stated or stated == ["auto"]:
        return int(block.facts["native-speed"])
    return max(int(speed) for speed in stated[0].split(","))


def _addresses(block: Block) -> tuple[str, ...]:
    return tuple(line.split()[2] for slot, (_, line) in block.lines.items() if slot.startswith("ip address "))


def _bgp(configuration: Configuration) -> BgpSpeaker | None:
    router = next((block for _, block in configuration.blocks("bgp")), None)
    if router is None:
        return None
    inside = chain.from_iterable(map(_addresses, configuration.blocks_in(("loopback", "vlan", "port-channel"))))
    return BgpSpeaker(
        asn=int(router.facts["asn"]),
        router_id=router.argument("router-id") or "0.0.0.0",  # noqa: S104 what the switch prints when none is set
        peers=tuple(
            _peer(router, key, block) for key, block in router.children.items() if block.mode == "bgp-neighbor"
        ),
        addresses=tuple(address.partition("/")[0] for address in inside),
        networks=tuple(_advertised_prefixes(configuration, router)),
    )


def _advertised_prefixes(configuration: Configuration, router: Block) -> Iterator[str]:
    """Yield the prefixes of the default VRF that BGP advertises."""
    family = router.children.get("address-family ipv4 unicast", Block(""))
    yield from (line.split()[1] for slot, (_, line) in family.lines.items() if slot.startswith("network "))
    if "redistribute connected" in family.lines:
        modes = ("loopback", "vlan", "port-channel", "ethernet")
        default = (block for block in configuration.blocks_in(modes) if not block.argument("ip vrf forwarding"))
        held = chain.from_iterable(map(_addresses, default))
        yield from dict.fromkeys(str(ip_interface(address).network) for address in held)


def _peer(router: Block, key: str, block: Block) -> BgpPeer:
    group = router.children.get(f"peer-group {block.argument('peer-group')}")
    sources = (block, group) if group is not None else (block,)
    remote = next((value for source in sources if (value := source.argument("remote-as"))), "")
    children = chain.from_iterable(source.children.items() for source in sources)
    families = {family.removeprefix("address-family ") for family, child in children if "activate" in child.lines}
    shutdown = any("shutdown" in source.lines for source in sources)
    return BgpPeer(key.rpartition(" ")[2], remote, frozenset(families), shutdown)
