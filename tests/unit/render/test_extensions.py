"""What a NOS cannot say is refused, never left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.errors import BadInputError
from rackproof.plan.models import BgpIntent, BgpNeighborIntent, PortIntent, TelemetryIntent, VlanIntent, VrfIntent
from rackproof.render.switch import parse_switch, render_switch
from tests.unit.render.switch_intents import CATALOGUE, bare_switch

if TYPE_CHECKING:
    from rackproof.plan.models import SwitchIntent

MODEL: Final = CATALOGUE.switch("dell-z9864f-on")
PORT: Final = PortIntent("spine", 800, "rs", 9216, unnumbered=True)
SESSION: Final = BgpNeighborIntent("spine", remote_asn=None, internal=True)
WITH_INTERNAL_SESSION: Final = replace(
    bare_switch(), ports={"1": PORT}, bgp=BgpIntent(4200000000, "10.0.0.1", {"1": SESSION})
)
ASKED: Final = {
    "switch: vrfs": replace(bare_switch(), vrfs={"GPU": VrfIntent()}),
    "switch: default_route": replace(bare_switch(), default_route="10.0.0.1"),
    "port 1: adaptive_routing": replace(bare_switch(), ports={"1": replace(PORT, adaptive_routing=True)}),
    "VLAN 10: vrf": replace(bare_switch(), vlans={10: VlanIntent("hosts", 9216, vrf="GPU")}),
    "telemetry: histograms": replace(bare_switch(), telemetry=TelemetryIntent(8080, histograms=True)),
}


@pytest.mark.parametrize("nos", ["enterprise-sonic", "sonic"])
@pytest.mark.parametrize(("told", "intent"), ASKED.items())
def test_what_a_nos_cannot_say_is_refused(nos: str, told: str, intent: SwitchIntent) -> None:
    with pytest.raises(BadInputError) as refusal:
        render_switch(nos, MODEL, intent)

    assert refusal.value.hint == told


def test_enterprise_sonic_says_internal_sessions() -> None:
    text = render_switch("enterprise-sonic", MODEL, WITH_INTERNAL_SESSION)

    assert "  remote-as internal\n" in text
    assert parse_switch("enterprise-sonic", MODEL, text).intent == WITH_INTERNAL_SESSION


def test_sonic_refuses_internal_sessions() -> None:
    with pytest.raises(BadInputError, match="cannot be configured as leaf-01 needs it"):
        render_switch("sonic", MODEL, WITH_INTERNAL_SESSION)
