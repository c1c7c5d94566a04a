"""A switch's intent as plain JSON values, for whoever stores or sends it, and back."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from rackproof.plan.models import SwitchIntent


@cache
def intent_adapter() -> TypeAdapter[SwitchIntent]:
    """Return what reads and writes intents; made when first needed."""
    return TypeAdapter(SwitchIntent)


def intent_values(intent: SwitchIntent) -> dict[str, Any]:
    """Return an intent as JSON values; a field that has its default is left out."""
    values: dict[str, Any] = intent_adapter().dump_python(intent, mode="json", exclude_defaults=True)
    return values


def intent_of(values: Mapping[str, Any]) -> SwitchIntent:
    """Return the intent that JSON values describe.

    Raises
    ------
    pydantic.ValidationError
        A value is missing or has another type.
    """
    return intent_adapter().validate_python(values)
