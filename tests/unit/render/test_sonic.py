"""Community SONiC: file and intent say the same, and both NOSes mean the same by the same intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.render.switch import parse_switch, render_switch
from tests.unit.render.switch_intents import MODELS, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel


@settings(max_examples=150)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_a_rendered_file_parses_back_to_its_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model, hash_queue_pair=False))

    parsed = parse_switch("sonic", model, render_switch("sonic", model, intent))

    assert parsed.intent == intent
    assert parsed.unknown == parsed.missing == ()


@settings(max_examples=50)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_both_noses_mean_the_same_by_the_same_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model, hash_queue_pair=False))

    meanings = [
        parse_switch(nos, model, render_switch(nos, model, intent)).intent for nos in ("enterprise-sonic", "sonic")
    ]

    assert meanings[0] == meanings[1]
