"""Warnings about what a site leaves out and almost certainly needs."""

from collections.abc import Sequence

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.site.models import Site

IDLE_UPLINKS = 4
"""Ports to spines for each host port of a leaf from which on a fabric is warned of; 1 is non-blocking."""


def check_services(site: Site, problems: Problems) -> None:
    """Record (as warnings) a site without time servers, name servers, or a way out."""
    for key, missing, why in (
        ("ntp", "time server", "logs, certificates and Kerberos need one time on all devices"),
        ("dns", "name server", "switches and hosts resolve no names"),
        ("uplinks", "uplink", "nothing leads out of the site"),
    ):
        if not getattr(site.external, key):
            problems.warn(("external",), f"the site has no {missing}: {why}", f"add external.{key}")


def check_idle_uplinks(drafts: Sequence[FabricDraft], problems: Problems) -> None:
    """Record (as warnings) fabrics whose leaves have many more ports to spines than hosts, growth included."""
    for draft in drafts:
        hosts = sum(a.device_port.kind == "host" for a in draft.layout.attachments)
        leaves = {number for number, switch in enumerate(draft.layout.switches) if switch.role == "leaf"}
        ends = draft.layout.isl_ends_by_switch
        up = sum(len(ends[number]) for number in leaves)
        spines = any(switch.role == "spine" for switch in draft.layout.switches)
        if spines and hosts and up >= IDLE_UPLINKS * hosts:
            message = f"the leaves of {draft.name} have {up} ports to spines and {hosts} ports to hosts"
            hint = "set oversubscription, or choose a topology of fewer switches"
            problems.warn((*draft.path, "topology"), message, hint)
