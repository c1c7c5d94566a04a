"""A switch for each rail and nothing between them: a rail reaches only itself, other rails go through the servers."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.parallel_switches import lay_out_parallel

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rail n of every server from switch n."""
    return lay_out_parallel(demand, "rails", lambda device_port: device_port.rail, problems)
