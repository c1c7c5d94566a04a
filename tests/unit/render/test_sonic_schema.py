"""config_db.json in the eyes of all of SONiC's YANG models, and that these models reject what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    LosslessIntent,
    ManagementIntent,
    PfcWatchdogIntent,
    PortIntent,
    RoceIntent,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VxlanIntent,
)
from rackproof.render.switch import render_switch
from tests.unit.render.switch_intents import CATALOGUE, MODELS, switch_intents

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.hardware.models import SwitchModel
    from tests.unit.render.sonic_schema import SonicSchema

pytestmark = [pytest.mark.yang, pytest.mark.shared]

Database = dict[str, dict[str, dict[str, str]]]

RAIL = PortIntent("gpu-001 rail0", 200, "rs", 9216, vlan=100, lossless=True, cable_length_m=5)
INTENT: Final = SwitchIntent(
    hostname="backend-leaf-01",
    management=ManagementIntent("10.30.0.16/18", "10.30.0.1"),
    ntp=("10.30.0.5",),
    dns=("10.30.0.6",),
    syslog=("10.30.0.7",),
    breakouts={"1": "4x200G"},
    ports={
        "1/1": RAIL,
        "1/2": replace(RAIL, description="gpu-001 rail1", vlan=101),
        "63": PortIntent("backend-leaf-02", 800, "rs", 9216, unnumbered=True),
        "64": PortIntent("uplink core 1", 800, "rs", 9216, address="10.99.0.0/31"),
    },
    port_channels={},
    vlans={
        100: VlanIntent("backend rail0", 9216, "10.10.0.2/24", anycast_gateway="10.10.0.1/24", vni=10100),
        101: VlanIntent("backend rail1", 9216, "10.10.1.1/24"),
    },
    loopback="10.10.255.1/32",
    anycast_mac="02:00:00:00:00:01",
    bgp=BgpIntent(4200000000, "10.10.255.1", {"63": BgpNeighborIntent("backend-leaf-02", None, evpn=True, bfd=True)}),
    vxlan=VxlanIntent("10.10.255.1"),
    roce=RoceIntent(
        lossless={3: LosslessIntent((24, 26), 1048000, 2097000, 5, 50)},
        cnp_dscp=48,
        cnp_priority=6,
        default_bandwidth_percent=50,
        pfc_watchdog=PfcWatchdogIntent("drop", 200, 400, 100),
        hash_queue_pair=False,
    ),
    telemetry=TelemetryIntent(8080),
)

WITHOUT_MODEL: Final[dict[str, str]] = {}
"""Tables we write that no model describes, each with why it is written all the same."""


@pytest.fixture(scope="module")
def schema(shared: Path) -> SonicSchema:
    from tests.unit.render.sonic_schema import SonicSchema  # noqa: PLC0415 needs libyang, which the marker looks for

    return SonicSchema(shared / "upstream" / "sonic-yang")


@pytest.fixture
def database() -> Database:
    found: Database = json.loads(render_switch("sonic", CATALOGUE.switch("dell-z9864f-on"), INTENT))
    return found


def test_all_models_are_there(schema: SonicSchema) -> None:
    assert len(schema.modules) > 140
    assert {"sonic-port", "sonic-bgp-global", "sonic-pfcwd", "sonic-vxlan"} <= set(schema.modules)


def test_a_rendered_file_is_valid(schema: SonicSchema, database: Database) -> None:
    verdict = schema.check(database)

    assert verdict.errors == ()
    assert set(verdict.without_model) == set(WITHOUT_MODEL)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_every_rendered_file_is_valid(schema: SonicSchema, data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model, hash_queue_pair=False))
    # sonic-mgmt_interface.yang wants a gateway beside every address.
    intent = replace(intent, management=replace(intent.management, gateway=intent.management.gateway or "10.0.0.1"))

    verdict = schema.check(json.loads(render_switch("sonic", model, intent)))

    assert verdict.errors == ()
    assert set(verdict.without_model) == set(WITHOUT_MODEL)


WRONG: Final = {
    "unknown leaf": ("PORT", "Ethernet0", {"colour": "blue"}, '"colour" not found'),
    "MTU above 9216": ("PORT", "Ethernet0", {"mtu": "9217"}, "allowed range"),
    "no such FEC": ("PORT", "Ethernet0", {"fec": "reed"}, "reed"),
    "code point 64": ("DSCP_TO_TC_MAP", "ROCE", {"64": "3"}, "Invalid DSCP"),
    "no such map": ("PORT_QOS_MAP", "Ethernet0", {"dscp_to_tc_map": "AZURE"}, "AZURE"),
    "reference in brackets": (
        "PORT_QOS_MAP",
        "Ethernet0",
        {"dscp_to_tc_map": "[DSCP_TO_TC_MAP|ROCE]"},
        "does not conform",
    ),
    "PFC on priority 9": ("PORT_QOS_MAP", "Ethernet0", {"pfc_enable": "9"}, '"9" does not conform'),
    "no such pool": ("BUFFER_PROFILE", "ingress_lossy_profile", {"pool": "lost_pool"}, "lost_pool"),
    "no such profile": (
        "BUFFER_PG",
        "Ethernet0|3",
        {"profile": "pg_lossless_1_1m_profile"},
        "pg_lossless_1_1m_profile",
    ),
    "no such port": ("BUFFER_PG", "Ethernet999|3", {"profile": "ingress_lossy_profile"}, "Ethernet999"),
    "no such ECN mode": ("WRED_PROFILE", "ROCE-3", {"ecn": "ecn_blue"}, "ecn_blue"),
    "marking ends before it starts": (
        "WRED_PROFILE",
        "ROCE-3",
        {"green_max_threshold": "1"},
        "max threshold must be greater",
    ),
    "weight 101": ("SCHEDULER", "scheduler.3", {"weight": "101"}, "allowed range"),
    "no such scheduler": ("QUEUE", "Ethernet0|3", {"scheduler": "scheduler.9"}, "scheduler.9"),
    "watchdog detects faster than it polls": (
        "PFC_WD",
        "GLOBAL",
        {"POLL_INTERVAL": "500"},
        "greater than or equal to POLL_INTERVAL",
    ),
    "watchdog below 100 ms": ("PFC_WD", "Ethernet0", {"detection_time": "50"}, "allowed range"),
    "no such watchdog action": ("PFC_WD", "Ethernet0", {"action": "explode"}, "explode"),
    "ASN of 33 bits": ("BGP_GLOBALS", "default", {"local_asn": "4294967296"}, "out of type uint32"),
    "admin status in words": (
        "BGP_NEIGHBOR",
        "default|Ethernet496",
        {"admin_status": "true"},
        'enumeration value "true"',
    ),
    "session over no port": ("BGP_NEIGHBOR", "default|Ethernet999", {"peer_type": "external"}, "Ethernet999"),
    "switched and routed": ("VLAN_MEMBER", "Vlan100|Ethernet504", {"tagging_mode": "untagged"}, "router interface"),
    "untagged twice": ("VLAN_MEMBER", "Vlan101|Ethernet0", {"tagging_mode": "untagged"}, "at most one VLAN"),
    "VLAN 1": ("VLAN", "Vlan1", {"vlanid": "1"}, "Vlan1"),
    "no such VLAN": ("VLAN_MEMBER", "Vlan999|Ethernet0", {"tagging_mode": "tagged"}, "Vlan999"),
    "cable length without unit": ("CABLE_LENGTH", "AZURE", {"Ethernet0": "5"}, "Invalid cable length"),
    "a key of too many parts": ("PORT", "Ethernet0|1", {"mtu": "9100"}, "no list takes the key"),
    "two overlays": ("VXLAN_EVPN_NVO", "nvo2", {"source_vtep": "vtep1"}, "Too many"),
    "a role that is none": ("DEVICE_METADATA", "localhost", {"type": "Spine"}, '"Spine" does not conform'),
}


@pytest.mark.parametrize(("table", "key", "fields", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_rejected(
    schema: SonicSchema, database: Database, table: str, key: str, fields: dict[str, str], reason: str
) -> None:
    database.setdefault(table, {}).setdefault(key, {}).update(fields)

    [error] = schema.check(database).errors

    assert reason in error


def test_a_missing_pool_is_rejected(schema: SonicSchema, database: Database) -> None:
    del database["BUFFER_POOL"]["ingress_lossless_pool"]

    [error] = schema.check(database).errors

    assert 'Invalid leafref value "ingress_lossless_pool"' in error


def test_a_table_without_a_model_is_told(schema: SonicSchema, database: Database) -> None:
    database["SWITCH"] = {"switch": {"roce_enable": "true"}}

    verdict = schema.check(database)

    assert (verdict.errors, verdict.without_model) == ((), ("SWITCH",))
