"""The Pulumi program: a stack is a site or a part of it, with a component for each fabric and one for the hosts."""

import signal

import pulumi

from infra.components.fabric import Fabric, own_switches
from infra.components.nodes import Nodes
from infra.stack_plan import stack_nodes, stack_plan, stack_switches

# The engine interrupts the program when a run ends early; without this the program would print a traceback then.
signal.signal(signal.SIGINT, signal.SIG_DFL)

planned = stack_plan()
plan, chosen = planned.plan, stack_switches(planned.plan)
steps: dict[str, pulumi.Resource] = {}
for fabric in plan.fabrics.values():
    if not chosen.isdisjoint(own_switches(fabric, plan)):
        steps.update(Fabric(fabric, plan, chosen).steps)
if orders := stack_nodes(planned):
    Nodes(orders, steps)

pulumi.export("site", plan.site)
pulumi.export("release", plan.release)
pulumi.export(
    "switches", {name: intent.management.address for name, intent in plan.intents().items() if name in chosen}
)
