"""Cumulus Linux: what a change disturbs, in which words it is sent, and whether what is pending is what was meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.connect.errors import CommandError
from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.compare.diff import differences
from rackproof.deploy.switch.compare.managed_config import managed_tree
from rackproof.deploy.switch.nos.cumulus import disruption, next_stage, shown
from rackproof.deploy.switch.nos.cumulus.commit_confirm import deviation, revision_awaiting_confirmation, whole_minutes
from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    EthernetSegmentIntent,
    ManagementIntent,
    PortChannelIntent,
    PortIntent,
    SwitchIntent,
    VlanIntent,
)
from rackproof.render.switch import render_switch

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL: Final = Catalogue().switch("nvidia-sn5600")
PORT: Final = PortIntent("gpu-001 rail0", 800, "rs", 9216)
CHANNEL: Final = PortChannelIntent("storage-001", 9216)
SEGMENT: Final = EthernetSegmentIntent("44:38:39:ff:00:aa", 32767)
BGP: Final = BgpIntent(65001, "10.0.0.1", {"3": BgpNeighborIntent("leaf-02", None)})


def switch(dialect: str = "5.13") -> SwitchIntent:
    """A switch that carries traffic."""
    return SwitchIntent(
        hostname="leaf-01",
        management=ManagementIntent("10.30.0.16/16", "10.30.0.1"),
        ntp=("10.30.0.1",),
        dns=(),
        syslog=(),
        breakouts={},
        ports={"1": PORT, "2": replace(PORT, port_channel=1), "3": replace(PORT, unnumbered=True)},
        port_channels={1: CHANNEL},
        vlans={10: VlanIntent("hosts", 9216, "10.10.0.1/24")},
        loopback="10.0.0.1/32",
        anycast_mac=None,
        bgp=BGP,
        vxlan=None,
        roce=None,
        telemetry=None,
        dialect=dialect,
    )


def with_port(**changed: Any) -> Callable[[SwitchIntent], SwitchIntent]:  # noqa: ANN401 fields of a port
    return lambda intent: replace(intent, ports={**intent.ports, "1": replace(PORT, **changed)})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (with_port(description="gpu-009 rail0"), Disruption.NONE),
        (with_port(mtu_bytes=9000), Disruption.PORT_RESET),
        (with_port(lossless=True), Disruption.NONE),
        (lambda intent: replace(intent, ntp=()), Disruption.NONE),
        (lambda intent: replace(intent, ports={**intent.ports, "4": PORT}), Disruption.NONE),
        (lambda intent: replace(intent, breakouts={"5": "2x400G"}), Disruption.PORT_RESET),
        (lambda intent: replace(intent, vlans={}), Disruption.PORT_RESET),
        (lambda intent: replace(intent, bgp=replace(BGP, asn=65009)), Disruption.SESSION_RESET),
        (lambda intent: replace(intent, bgp=replace(BGP, maximum_paths=32)), Disruption.NONE),
        (lambda intent: replace(intent, bgp=None), Disruption.SESSION_RESET),
        (lambda intent: replace(intent, loopback="10.0.0.2/32"), Disruption.SESSION_RESET),
        (
            lambda intent: replace(intent, port_channels={1: replace(CHANNEL, ethernet_segment=SEGMENT)}),
            Disruption.SWITCHD_RESTART,
        ),
        (
            lambda intent: replace(intent, port_channels={1: CHANNEL, 2: replace(CHANNEL, ethernet_segment=SEGMENT)}),
            Disruption.SWITCHD_RESTART,
        ),
    ],
)
def test_what_a_change_does_to_traffic(change: Callable[[SwitchIntent], SwitchIntent], expected: Disruption) -> None:
    running = switch()
    (found,) = differences(running, change(running))
    assert disruption(found, running) is expected


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [("5.12", Disruption.SWITCHD_RESTART), ("5.13", Disruption.NONE), ("5.15", Disruption.NONE)],
)
@pytest.mark.parametrize("back", [False, True])
def test_adaptive_routing_restarts_switchd_before_5_13(dialect: str, expected: Disruption, back: bool) -> None:  # noqa: FBT001
    sides = [switch(dialect), with_port(adaptive_routing=True)(switch(dialect))]
    before, after = reversed(sides) if back else sides
    (found,) = differences(before, after)
    assert disruption(found, before) is expected


def test_a_second_adaptive_port_and_a_second_segment_restart_nothing() -> None:
    running = with_port(adaptive_routing=True)(switch("5.12"))
    after = replace(running, ports={**running.ports, "3": replace(running.ports["3"], adaptive_routing=True)})
    (found,) = differences(running, after)
    assert disruption(found, running) is Disruption.NONE


def printed(intent: SwitchIntent, more: str = "") -> str:
    return render_switch("cumulus", MODEL, intent) + more


def lines(running: str, intent: SwitchIntent, unmanaged: tuple[str, ...] = ()) -> tuple[str, ...]:
    have, want = (managed_tree("cumulus", text, unmanaged) for text in (running, printed(intent)))
    stage = next_stage(have, want, running)
    return () if stage is None else stage.lines


def test_nothing_is_sent_where_nothing_differs() -> None:
    assert lines(printed(switch()), switch()) == ()


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("5.12", ("nv unset service ntp", "nv set service syslog mgmt server 10.30.0.9")),
        ("5.13", ("nv unset service", "nv set system syslog server 10.30.0.9 vrf mgmt")),
        ("5.15", ("nv unset system ntp", "nv set system syslog server 10.30.0.9 vrf mgmt")),
    ],
)
def test_lines_are_in_the_words_of_the_release_that_runs(dialect: str, expected: tuple[str, ...]) -> None:
    wanted = replace(switch(dialect), ntp=(), syslog=("10.30.0.9",))
    assert lines(printed(switch(dialect)), wanted) == expected


def test_a_value_is_replaced_and_not_taken_away() -> None:
    assert lines(printed(switch()), with_port(mtu_bytes=9000)(switch())) == ("nv set interface swp1 link mtu 9000",)


def test_what_others_own_is_not_taken_away_with_what_is_ours() -> None:
    running = printed(switch(), "- set:\n    service:\n      ptp:\n        '1':\n          enable: on\n")
    wanted = replace(switch(), ntp=())
    assert lines(running, wanted, ("service ptp",)) == ("nv unset service ntp",)
    assert lines(running, wanted) == ("nv unset service",)
    assert lines(running, switch(), ("service pt",)) == ("nv unset service ptp",)


@pytest.mark.parametrize(
    "left_alone",
    [
        "service:\n      snmp-server:\n        enable: on\n",
        "system:\n      snmp-server:\n        state: enabled\n",
        "system:\n      aaa:\n        tacacs:\n          server:\n            192.0.2.9: {}\n",
        "system:\n      timezone: Europe/Berlin\n",
        "system:\n      message:\n        pre-login: Keep out\n",
        "acl:\n      MGMT:\n        type: ipv4\n",
        "interface:\n      eth0:\n        acl:\n          MGMT:\n            inbound: {}\n",
        "interface:\n      swp1:\n        acl:\n          CP:\n            inbound:\n              control-plane: {}\n",
    ],
)
def test_what_is_left_alone_is_not_taken_away_with_what_is_ours(left_alone: str) -> None:
    running = printed(switch(), f"- set:\n    {left_alone}")
    assert lines(running, switch()) == ()
    removed = lines(running, replace(switch(), ntp=(), ports={}))
    assert removed
    first = left_alone.split(":", maxsplit=1)[0]
    assert not [line for line in removed if line in {f"nv unset {first}", f"nv unset {first} swp1"}]


def test_paths_are_shown_whole_and_interfaces_together() -> None:
    chains = (
        "interface > swp1",
        "interface > swp1 > type",
        "interface > swp1 > type > swp",
        "interface > swp2 > type > swp",
        "system > hostname > leaf-09",
    )
    assert shown(chains, bool) == ("interface swp1-2 type swp", "system hostname leaf-09")
    assert shown(chains, lambda chain: "swp1" not in chain) == ("interface swp2 type swp", "system hostname leaf-09")


UNSET: Final = (("interface", "swp1", "link", "mtu"), ("service", "ntp"))
NEW: Final = (("interface", "swp2", "link", "mtu", "9000"), ("interface", "swp3", "link", "mtu", "9000"))
SHOWN_UNSET: Final = "- unset:\n    interface:\n      swp1:\n        link:\n          mtu:\n    service:\n      ntp:\n"
SHOWN_SET: Final = "- set:\n    interface:\n      swp2-3:\n        link:\n          mtu: 9000\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SHOWN_UNSET + SHOWN_SET, ""),
        (SHOWN_UNSET.replace("ntp:", "ntp:\n        mgmt:") + SHOWN_SET, ""),
        (SHOWN_UNSET + SHOWN_SET.replace("swp2-3", "swp2"), "nothing of `interface swp3 link mtu 9000`"),
        (SHOWN_SET, "nothing of `interface swp1 link mtu`"),
        (
            SHOWN_UNSET + SHOWN_SET.replace("swp2-3", "swp2-4"),
            "`interface swp4 link mtu 9000`, which is not part of the change",
        ),
        (SHOWN_UNSET + "    vrf:\n" + SHOWN_SET, "`vrf`, which is not part of the change"),
        ("", "nothing of `interface swp1 link mtu`"),
    ],
)
def test_what_is_pending_is_held_against_what_was_sent(text: str, found: str) -> None:
    assert deviation(text, UNSET, NEW, (5, 13)) == found


def test_revisions_tell_what_is_on_trial() -> None:
    assert revision_awaiting_confirmation('{"4": {"state": "applied"}, "5": {"state": "confirm"}}') == "5"
    assert revision_awaiting_confirmation('{"4": {"state": "applied"}, "applied": {"state": "confirm"}}') is None
    with pytest.raises(CommandError, match="printed no revisions"):
        revision_awaiting_confirmation("Error: Could not connect to nvued.")


@pytest.mark.parametrize(("seconds", "minutes"), [(900.0, 15), (61.0, 2), (1.0, 1)])
def test_a_trial_lasts_whole_minutes(seconds: float, minutes: int) -> None:
    assert whole_minutes(seconds) == minutes
