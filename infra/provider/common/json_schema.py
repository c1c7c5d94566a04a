"""From JSON Schema, which Pydantic derives from our types, to Pulumi's schema language."""

from collections.abc import Mapping
from typing import Any

JsonSchema = Mapping[str, Any]

REFERENCE = "#/$defs/"


def named_types(schema: JsonSchema, module: str) -> dict[str, Any]:
    """Return every definition of a JSON Schema as a named Pulumi type of a module.

    Parameters
    ----------
    schema
        Has its definitions under ``$defs``.
    module
        Package and module, such as ``rackproof:switch``.
    """
    return {f"{module}:{name}": object_type(definition, module) for name, definition in schema.get("$defs", {}).items()}


def object_type(schema: JsonSchema, module: str) -> dict[str, Any]:
    """Return an object with named properties as a Pulumi type.

    Pulumi has no word for a value that must be given and may be null; such a property counts as optional.
    """
    properties = schema["properties"]
    return {
        "type": "object",
        "description": schema.get("description", ""),
        "properties": {name: property_type(value, module) for name, value in properties.items()},
        "required": sorted(name for name in schema.get("required", ()) if "anyOf" not in properties[name]),
    }


def property_type(schema: JsonSchema, module: str) -> dict[str, Any]:
    """Return the type of one property."""
    if "anyOf" in schema:
        return property_type(next(option for option in schema["anyOf"] if option.get("type") != "null"), module)
    if "$ref" in schema:
        return {"$ref": f"#/types/{module}:{schema['$ref'].removeprefix(REFERENCE)}"}
    if schema["type"] == "array":
        return {"type": "array", "items": property_type(schema["items"], module)}
    if schema["type"] == "object":
        return {"type": "object", "additionalProperties": property_type(schema["additionalProperties"], module)}
    return {"type": schema["type"]}
