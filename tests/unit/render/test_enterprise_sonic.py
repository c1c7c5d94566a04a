"""Enterprise SONiC: text and intent say the same, and what the text says besides is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.render.switch import owned_tree, parse_switch, render_switch
from tests.unit.render.switch_intents import MODELS, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel

NOS = "enterprise-sonic"


@settings(max_examples=150)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_a_rendered_configuration_parses_back_to_its_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model))

    parsed = parse_switch(NOS, model, render_switch(NOS, model, intent))

    assert parsed.intent == intent
    assert parsed.unknown == parsed.missing == ()
