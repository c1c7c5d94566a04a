"""One switch for everything: two servers to a full switch, no inter-switch links, no redundancy of the switch."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout, LayoutSwitch
from rackproof.plan.fabric.switch_fill import fill_switch, servers_that_fit

ROLES: Final = ("backend", "frontend", "oob")
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve every device port from one switch; hosts from the first port up, uplinks from the last one down."""
    attachments = fill_switch(demand, 0, [], problems, lambda _: True)
    return Layout(
        (LayoutSwitch("leaf", 0, "leaf-01"),), attachments, servers_max=servers_that_fit(demand, 0, lambda _: True)
    )
