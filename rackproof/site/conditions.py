"""Keys of the site file that are needed under a condition only."""

from pydantic.config import JsonDict

NEEDED_UNLESS_HOSTED = ("racks", "fabrics")
"""Keys that every site has but one whose machines are a provider's."""

NEEDED_UNLESS_SHARED = ("topology", "switch", "nos")
"""Keys that every fabric has but one that runs on the switches of another."""


NO_ROCE = "none"
"""What a fabric without RoCE says in a site file: short for ``{enabled: false}`` (rackproof/site/sharing.py)."""


def schema_of_fabrics(schema: JsonDict) -> None:
    """Ask for topology, switch and NOS only where no other fabric's are shared; take ``roce: none``."""
    schema["required"] = ["prefix"]
    schema["if"] = {"properties": {"shares": {"type": "string"}}, "required": ["shares"]}
    schema["else"] = {"required": list(NEEDED_UNLESS_SHARED)}
    schema["properties"]["roce"]["anyOf"].insert(1, {"const": NO_ROCE})  # type: ignore[index,call-overload,union-attr]
