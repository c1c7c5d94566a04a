"""Two switches without links between them: a storage node has a port on each (a PowerScale cluster's own)."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.parallel_switches import lay_out_parallel

ROLES: Final = ("storage-backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve port n of every node from switch n."""
    return lay_out_parallel(demand, "pair-01", lambda device_port: device_port.side, problems)
