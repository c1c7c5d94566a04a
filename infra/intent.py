"""The structured intent of a switch as Pulumi holds it: plain JSON values, keyed, defaults left out."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from rackproof.plan.models import SwitchIntent

SWITCH_INTENT = TypeAdapter(SwitchIntent)


def intent_values(intent: SwitchIntent) -> dict[str, Any]:
    """Return an intent as JSON values; what has its default is left out, which keeps the state small."""
    values: dict[str, Any] = SWITCH_INTENT.dump_python(intent, mode="json", exclude_defaults=True)
    return values


def switch_intent(values: Mapping[str, Any]) -> SwitchIntent:
    """Return the intent that JSON values describe.

    Raises
    ------
    pydantic.ValidationError
        A value is missing or has another type.
    """
    return SWITCH_INTENT.validate_python(values)
