"""Fabrics that run on the switches of another fabric: the keys that they take over from it."""

from typing import Any, Final

from rackproof.site.models import NEEDED_UNLESS_SHARED

TAKEN_OVER: Final = (*NEEDED_UNLESS_SHARED, "rack", "racks")


def with_shared_switches(data: Any) -> Any:  # noqa: ANN401 decoded YAML, right or wrong
    """Return a site file's data with what a fabric takes over from the one whose switches it shares."""
    fabrics = data.get("fabrics") if isinstance(data, dict) else None
    if not isinstance(fabrics, dict):
        return data
    return {**data, "fabrics": {name: _completed(fabric, fabrics) for name, fabric in fabrics.items()}}


def _completed(fabric: Any, fabrics: dict[str, Any]) -> Any:  # noqa: ANN401 decoded YAML
    shares = fabric.get("shares") if isinstance(fabric, dict) else None
    owner = fabrics.get(shares) if isinstance(shares, str) else None
    if not isinstance(owner, dict):
        return fabric
    return {**{key: owner[key] for key in TAKEN_OVER if key in owner}, **fabric}
