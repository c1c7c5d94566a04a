"""Configuration: every switch runs the planned configuration."""

from rackproof.deploy.switch.compare.managed_config import managed_tree
from rackproof.render.config_tree import ConfigTree
from rackproof.render.switch import render_switch
from validation.expected.fixtures import Judge, Switch, requirements

MOST_LINES = 5
"""Lines that a result names; the folder of the run has the whole configuration."""


@requirements("CNP02")
def test_switch_runs_what_the_plan_has(switch: Switch, judge: Judge) -> None:
    """The running configuration equals the planned one, line by line."""
    plan, nos = switch.plan, switch.plan.nos
    rendered = render_switch(nos, switch.site.planned.catalogue.switch(plan.model), switch.intent)
    wanted = managed_tree(nos, rendered, plan.unmanaged)
    running = managed_tree(nos, switch.facts.running(), plan.unmanaged)
    missing, strange = lines_only_in(wanted, running), lines_only_in(running, wanted)
    told = [*(f"missing: {line}" for line in missing), *(f"unexpected: {line}" for line in strange)]
    judge.expect(
        switch.name,
        running == wanted,
        expected="the planned configuration",
        actual=f"{len(told)} lines differ; {'; '.join(told[:MOST_LINES])}" if told else "the planned configuration",
        remedy=f"`rackproof diff <site> --only {switch.name}` shows every line, `rackproof up` deploys the plan",
    )


def lines_only_in(one: ConfigTree, other: ConfigTree, above: str = "") -> list[str]:
    """Return the lines that one configuration has and another has not, each behind its blocks."""
    found: list[str] = []
    for line, block in one.items():
        whole, below = f"{above}{line}", f"{above}{line} > "
        if line in other:
            found += lines_only_in(block, other[line], below)
        else:
            found += lines_only_in(block, {}, below) or [whole]
    return found
