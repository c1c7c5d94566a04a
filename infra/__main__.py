"""The Pulumi program: one stack a site or a part of one, one component a fabric, one resource a deploy step."""

import signal

import pulumi

from infra.components.fabric import Fabric
from infra.stack_plan import stack_plan, stack_switches

# The engine interrupts the program when a run ends early; nobody needs its traceback then.
signal.signal(signal.SIGINT, signal.SIG_DFL)

plan = stack_plan()
chosen = stack_switches(plan)
for fabric in plan.fabrics.values():
    if not chosen.isdisjoint(fabric.switches):
        Fabric(fabric, plan, chosen)

pulumi.export("site", plan.site)
pulumi.export("release", plan.release)
pulumi.export(
    "switches", {name: intent.management.address for name, intent in plan.intents().items() if name in chosen}
)
