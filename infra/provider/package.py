"""The schema of the provider, from which the engine, its documentation and `pulumi import` know the resource types."""

import json
from collections.abc import Iterable
from typing import Any

from infra.provider.common.kind import AnyKind
from infra.provider.configuration import SETTING_TYPES

NAME = "rackproof"


def package_schema(version: str, kinds: Iterable[AnyKind]) -> str:
    """Return the schema of the whole provider as JSON.

    Parameters
    ----------
    version
        Version of the provider, which is Rackproof's.
    kinds
        The resource types it serves.
    """
    types: dict[str, Any] = {}
    resources = {kind.token: _resource(kind, types) for kind in kinds}
    return json.dumps(
        {
            "name": NAME,
            "version": version,
            "description": "Devices of an AI-factory site, configured as planned.",
            "config": {"variables": SETTING_TYPES},
            "provider": {"inputProperties": SETTING_TYPES},
            "types": types,
            "resources": resources,
        }
    )


def _resource(kind: AnyKind, types: dict[str, Any]) -> dict[str, Any]:
    inputs, named_types = kind.input_types()
    types.update(named_types)
    return {
        "description": kind.summary,
        "inputProperties": inputs["properties"],
        "requiredInputs": inputs["required"],
        "properties": {kind.identity: inputs["properties"][kind.identity]},
        "required": [kind.identity],
    }
