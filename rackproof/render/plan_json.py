"""The plan as JSON: the same plan gives the same bytes."""

import json
from dataclasses import fields, is_dataclass

from rackproof.plan.models import Plan


def plan_json(plan: Plan) -> str:
    """Return the whole plan, fields as the plan's models name them, keys sorted."""
    return json.dumps(plan, default=_fields, sort_keys=False, indent=1) + "\n"


def _fields(value: object) -> dict[str, object]:
    """Return the fields of a part of the plan.

    Raises
    ------
    TypeError
        The plan holds something that is neither plain data nor a dataclass.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} has no place in a plan")
