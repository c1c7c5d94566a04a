"""What sonic-cli accepts, what it refuses, and where it puts the marker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lab.switches.nos.enterprise_sonic.grammar import modes
from lab.switches.nos.enterprise_sonic.pattern import compile_pattern

if TYPE_CHECKING:
    from lab.switches.nos.enterprise_sonic.rule import Rule
    from tests.lab.conftest import Console, OnConsole


LONG = "a" * 241

ACCEPTED = [
    ("hostname leaf-01", "hostname leaf-01"),
    ("ntp server 10.0.0.1 minpoll 4 maxpoll 17", "ntp server 10.0.0.1 minpoll 4 maxpoll 17"),
    ("ntp source-interface management0", "ntp source-interface Management 0"),
    ("logging server 10.0.0.2 vrf mgmt severity notice", "logging server 10.0.0.2 vrf mgmt severity notice"),
    ("ip name-server 10.0.0.3", "ip name-server 10.0.0.3"),
    ("ip vrf mgmt", "ip vrf mgmt"),
    ("no lldp enable", "no lldp enable"),
    ("lldp timer 30", "lldp timer 30"),
    ("ip load-share hash ipv4 ipv4-src-ip", "ip load-share hash ipv4 ipv4-src-ip"),
    ("ip load-share hash roce qpn", "ip load-share hash roce qpn"),
    ("priority-flow-control watchdog polling-interval 100", "priority-flow-control watchdog polling-interval 100"),
    ("ip telemetry port 8080", "ip telemetry port 8080"),
    ("ip route vrf mgmt 0.0.0.0/0 10.30.0.1", "ip route vrf mgmt 0.0.0.0/0 10.30.0.1"),
    ("ip anycast-mac-address 44:38:39:ff:00:ff", "ip anycast-mac-address 44:38:39:ff:00:ff"),
]


@pytest.mark.parametrize(("line", "shown"), ACCEPTED)
def test_a_global_line_is_taken_shown_and_taken_back(on_console: OnConsole, line: str, shown: str) -> None:
    async def scenario(console: Console) -> None:
        assert await console.configured(line) == ""
        assert shown in console.nos.running_configuration().splitlines()
        negation = line.removeprefix("no ") if line.startswith("no ") else f"no {' '.join(line.split())}"
        removal = {
            "ntp server 10.0.0.1 minpoll 4 maxpoll 17": "no ntp server 10.0.0.1",
            "logging server 10.0.0.2 vrf mgmt severity notice": "no logging server 10.0.0.2",
            "hostname leaf-01": "no hostname",
            "lldp timer 30": "no lldp timer",
            "priority-flow-control watchdog polling-interval 100": "no priority-flow-control watchdog polling-interval",
            "ip telemetry port 8080": "no ip telemetry port",
        }.get(line, negation)
        assert await console.configured(removal) == ""
        assert shown not in console.nos.running_configuration().splitlines()

    on_console(scenario)


PORT_LINES = [
    "description plain",
    'description "to gpu-001 rail0"',
    "mtu 1312",
    "mtu 9216",
    "speed 400000",
    "fec RS",
    "no shutdown",
    "ip address 10.1.0.1/31",
    "ipv6 enable",
    "cable-length 5m",
    "priority-flow-control priority 3",
    "priority-flow-control watchdog action drop",
    "priority-flow-control watchdog on detect-time 200",
    "priority-flow-control watchdog restore-time 400",
    "threshold queue 3 unicast 80",
]


@pytest.mark.parametrize("line", PORT_LINES)
def test_a_line_of_a_port_is_taken_and_shown(on_console: OnConsole, line: str) -> None:
    async def scenario(console: Console) -> None:
        assert await console.configured("interface Eth1/1", line) == ""
        assert f" {line}" in console.block("interface Eth1/1")

    on_console(scenario)


REFUSED = [
    # mode lines, line, column of the marker after the prompt, message
    ((), "foo bar", 0, 'Invalid input detected at "^" marker.'),
    ((), "ntp serve 10.0.0.1", 4, 'Invalid input detected at "^" marker.'),
    ((), "ntp server 10.0.0.1 minpoll 3 maxpoll 5", 28, "Value out of range(4..17)."),
    ((), "lldp timer 4", 11, "Value out of range(5..254)."),
    ((), "ip load-share hash ipv4 dst", 24, 'Invalid input detected at "^" marker.'),
    ((), "interface Ethernet0", 10, 'Invalid input detected at "^" marker.'),
    ((), "interface breakout port 1/1 mode 3x100G", 33, 'Invalid input detected at "^" marker.'),
    ((), "qos map dscp-tc two words", 20, 'Invalid input detected at "^" marker.'),
    (("interface Eth1/1",), "mtu 1311", 4, "Value out of range(1312..9216)."),
    (("interface Eth1/1",), "mtu 9217", 4, "Value out of range(1312..9216)."),
    (("interface Eth1/1",), "mtu nine", 4, 'Invalid input detected at "^" marker.'),
    (("interface Eth1/1",), "speed 123", 6, 'Invalid input detected at "^" marker.'),
    (("interface Eth1/1",), "cable-length 10m", 13, 'Invalid input detected at "^" marker.'),
    (("interface Eth1/1",), f"description {LONG}", 12, 'Invalid input detected at "^" marker.'),
    (("interface Eth1/1",), "dscp 3 traffic-class 3", 0, 'Invalid input detected at "^" marker.'),
    (("qos map dscp-tc R",), "dscp 64 traffic-class 3", 5, 'Invalid input detected at "^" marker.'),
    (("qos map dscp-tc R",), "dscp 24 traffic-class 8", 22, "Value out of range(0..7)."),
    (("qos scheduler-policy R", "queue 3"), "queue 4", 0, 'Invalid input detected at "^" marker.'),
    (("qos wred-policy R",), "ecn yellow", 4, 'Invalid input detected at "^" marker.'),
    (("router bgp 65001",), "neighbor 10.0.0.256", 9, 'Invalid input detected at "^" marker.'),
]


@pytest.mark.parametrize(("modes", "line", "column", "message"), REFUSED)
def test_a_wrong_word_is_marked(
    on_console: OnConsole, modes: tuple[str, ...], line: str, column: int, message: str
) -> None:
    async def scenario(console: Console) -> None:
        prompt, printed = (await console.typed("configure terminal", *modes, line))[-1]
        assert printed == f"{' ' * (len(prompt) + column)}^\n% Error: {message}\n"

    on_console(scenario)


@pytest.mark.parametrize("line", ["ntp server", "ip load-share hash seed", "interface breakout port 1/1", "router bgp"])
def test_half_a_line_is_not_completed(on_console: OnConsole, line: str) -> None:
    async def scenario(console: Console) -> None:
        assert await console.configured(line) == "% Error: The command is not completed.\n"

    on_console(scenario)


OBJECTED = [
    (("interface Eth1/1",), "qos-map dscp-tc NONE", "No instance found for 'NONE'"),
    (("interface Eth1/1",), "queue 3 wred-policy NONE", "No instance found for 'NONE'"),
    (("interface Eth1/1",), "scheduler-policy NONE", "No instance found for 'NONE'"),
    (("interface Eth1/1",), "channel-group 7", "No instance found for 'PortChannel7'"),
    (("interface Eth1/1",), "switchport access Vlan 10", "Invalid VLAN: 10"),
    ((), "interface Eth1/9", "Interface Eth1/9 does not exist"),
    ((), "interface Eth1/1/1", "Interface Eth1/1/1 does not exist"),
    (("router bgp 65001", "exit"), "router bgp 65002", "BGP is already running with AS number 65001"),
    (("router bgp 65001",), "neighbor interface Eth1/9", "Interface Eth1/9 does not exist"),
    (("router bgp 65001", "neighbor 10.0.0.1"), "peer-group NONE", "No instance found for 'NONE'"),
    (("interface vxlan vtep1",), "map vni 10 vlan 10", "No instance found for 'Vlan10'"),
    (
        ("interface Vlan 10", "ip address 10.1.0.1/24", "interface Eth1/1"),
        "ip address 10.1.0.9/30",
        "IP 10.1.0.9/30 overlaps with IP 10.1.0.1/24 of interface Vlan10",
    ),
    (
        ("interface Eth1/1", "ip address 10.1.0.1/31"),
        "switchport trunk allowed Vlan 10",
        "L3 configuration exists for Interface: Eth1/1",
    ),
    (
        ("interface Eth1/1", "switchport trunk allowed Vlan 10"),
        "ip address 10.1.0.1/31",
        "L2 configuration exists for interface: Eth1/1",
    ),
    (
        ("interface Eth1/1", "priority-flow-control priority 3", "priority-flow-control priority 4"),
        "priority-flow-control priority 5",
        "Maximum of two lossless priorities are supported",
    ),
    (("qos map dscp-tc R", "interface Eth1/1", "qos-map dscp-tc R"), "no qos map dscp-tc R", "'R' is in use by Eth1/1"),
    ((), "buffer pool ingress_lossless_pool shared-headroom-size 1000", "Buffer is not initialized to lossless mode"),
]


@pytest.mark.parametrize(("before", "line", "reason"), OBJECTED)
def test_the_back_end_objects(on_console: OnConsole, before: tuple[str, ...], line: str, reason: str) -> None:
    async def scenario(console: Console) -> None:
        version = console.nos.running_configuration()
        assert await console.configured(*before, line) == f"% Error: {reason}\n"
        if not before:
            assert console.nos.running_configuration() == version

    on_console(scenario)


def test_a_port_cannot_be_faster_than_its_share_of_the_cage(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        printed = await console.configured(
            "interface breakout port 1/1 mode 4x200G", "interface Eth1/1/1", "speed 400000"
        )
        assert printed == "% Error: Unsupported speed 400000 for Eth1/1/1\n"

    on_console(scenario)


def test_prompts_follow_the_mode_and_keep_the_name_of_the_start(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        lines = (
            "configure terminal",
            "hostname other",
            "interface Vlan 10",
            "interface loopback 0",
            "interface PortChannel1",
            "interface Management 0",
            "qos scheduler-policy R",
            "queue 3",
            "exit",
            "exit",
            "router bgp 65001",
            "neighbor interface Eth1/1",
            "address-family ipv4 unicast",
            "end",
            "show clock",
        )
        prompts = [prompt for prompt, _ in await console.typed(*lines)]
        assert prompts == [
            "leaf-a# ",
            "leaf-a(config)# ",
            "leaf-a(config)# ",
            "leaf-a(config-if-Vlan10)# ",
            "leaf-a(config-if-lo0)# ",
            "leaf-a(config-if-po1)# ",
            "leaf-a(config-if-eth0)# ",
            "leaf-a(config-sched-policy-R)# ",
            "leaf-a(config-scheduler-R-queue-3)# ",
            "leaf-a(config-sched-policy-R)# ",
            "leaf-a(config)# ",
            "leaf-a(config-router-bgp)# ",
            "leaf-a(config-router-bgp-neighbor)# ",
            "leaf-a(config-router-bgp-neighbor-af)# ",
            "leaf-a# ",
        ]
        assert (await console.typed("show clock"))[0][0] == "other# "

    on_console(scenario)


def test_every_rule_names_its_source() -> None:
    rules = [rule for mode in modes().values() for rule in mode.rules]
    assert len(rules) > 150
    assert all(rule.source for rule in rules)


SAMPLES = {
    "name": "R",
    "long-name": "R",
    "host-name": "r",
    "vrf": "VrfR",
    "vtep": "vtep1",
    "word": "w",
    "text": "w",
    "banner": "@w@",
    "line": "w",
    "mac": "02:00:00:00:00:01",
    "ipv4": "10.9.0.1",
    "ipv4/len": "10.9.0.1/24",
    "ipv6/len": "fd00::1/64",
    "host": "10.9.0.1",
    "front-panel-port": "1/2",
    "breakout": "2x400G",
    "eth": "Eth1/1",
    "vlan": "Vlan 9",
    "port-channel": "PortChannel 9",
    "loopback": "Loopback 9",
    "management": "Management 0",
    "bgp-interface": "Eth1/1",
    "interface": "Eth1/1",
    "authentication": "jwt",
    "priority-pair": "3,4",
    "speeds": "100000",
}


def sample(pattern: str) -> str:
    """Return a line that a pattern takes: everything optional left out, first alternatives taken."""

    def value(match: re.Match[str]) -> str:
        kind = match[1]
        if numbers := re.fullmatch(r"(?:list )?(-?\d+)\.\.-?\d+", kind):
            return numbers[1]
        return kind.split("|")[0] if "|" in kind else SAMPLES[kind]

    text = re.sub(r"<[^:>]+:([^>]+)>", value, pattern)
    while "[" in text or "(" in text:
        text = re.sub(r"\s*\[[^\[\]()]*\]", "", text)
        text = re.sub(r"\(([^\[\]()|]*)(?:\|[^\[\]()]*)?\)", r"\1", text)
    return text


def way_to(mode: str) -> tuple[str, ...]:
    """Return the lines that lead into a mode."""
    if mode == "config":
        return ()
    for outer in modes().values():
        for rule in outer.rules:
            if rule.enters is not None and rule.enters.mode == mode:
                return (*way_to(outer.name), sample(rule.pattern))
    raise AssertionError(mode)


RULES = [(name, rule) for name, mode in modes().items() for rule in mode.rules if rule.action is None]


@pytest.mark.parametrize(("mode", "rule"), RULES, ids=[f"{name}: {rule.pattern}" for name, rule in RULES])
def test_every_rule_is_read_and_taken_back(on_console: OnConsole, mode: str, rule: Rule) -> None:
    async def scenario(console: Console) -> None:
        console.nos.configuration.root.lines["buffer init lossless"] = (0, "buffer init lossless")
        removals = rule.no if rule.no is not None else (f"no {compile_pattern(rule.pattern).leading}",)
        for line in (sample(rule.pattern), *map(sample, removals), sample(rule.pattern)):
            printed = await console.configured(*way_to(mode), line)
            assert "^" not in printed, line
            assert "not completed" not in printed, line

    on_console(scenario)
