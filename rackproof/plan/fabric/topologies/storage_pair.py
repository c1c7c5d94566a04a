"""Two switches that know nothing of each other: a storage node has a port on each (a PowerScale cluster's own)."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.parallel_switches import lay_out_separate
from rackproof.plan.fabric.topologies import Demand, Layout

ROLES: Final = ("storage-backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve port n of every node from switch n."""
    return lay_out_separate(demand, "pair-01", lambda socket: socket.side, problems)
