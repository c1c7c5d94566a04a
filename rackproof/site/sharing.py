"""What a fabric says in short: keys that it takes over from the one whose switches it shares, and ``roce: none``."""

from typing import Any, Final

from rackproof.site.conditions import NEEDED_UNLESS_SHARED, NO_ROCE

TAKEN_OVER: Final = (*NEEDED_UNLESS_SHARED, "rack", "racks")


def written_out(data: Any) -> Any:  # noqa: ANN401 decoded YAML, right or wrong
    """Return a site file's data with what its fabrics say in short."""
    fabrics = data.get("fabrics") if isinstance(data, dict) else None
    if not isinstance(fabrics, dict):
        return data
    return {**data, "fabrics": {name: _completed(fabric, fabrics) for name, fabric in fabrics.items()}}


def _completed(fabric: Any, fabrics: dict[str, Any]) -> Any:  # noqa: ANN401 decoded YAML
    shares = fabric.get("shares") if isinstance(fabric, dict) else None
    owner = fabrics.get(shares) if isinstance(shares, str) else None
    if isinstance(fabric, dict) and fabric.get("roce") == NO_ROCE:
        fabric = {**fabric, "roce": {"enabled": False}}
    if not isinstance(owner, dict):
        return fabric
    return {**{key: owner[key] for key in TAKEN_OVER if key in owner}, **fabric}
