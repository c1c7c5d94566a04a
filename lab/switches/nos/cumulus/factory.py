"""The factory configuration: the default startup file, and name and address from the console."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from lab.spec.models import SwitchSpec
from lab.switches.nos.cumulus.schema import Node, Release, expanded
from lab.switches.nos.cumulus.tree import Tree, build_tree

_HASH: Final = "$6$lab$J0bRe8aBdRYWC2tQyGb0T1"
_STATE_WORDS: Final = (5, 15)

_STARTUP: Final = (
    "system aaa class nvapply action allow",
    "system aaa class nvapply command-path / permission all",
    "system aaa class nvshow action allow",
    "system aaa class nvshow command-path / permission ro",
    "system aaa class sudo action allow",
    "system aaa class sudo command-path / permission all",
    "system aaa role nvue-admin class nvapply",
    "system aaa role nvue-monitor class nvshow",
    "system aaa role system-admin class nvapply",
    "system aaa role system-admin class sudo",
    f"system aaa user cumulus hashed-password {_HASH}",
    "system aaa user cumulus role system-admin",
    "system api state enabled",
    "system config auto-save state enabled",
    "system control-plane acl acl-default-dos inbound",
    "system control-plane acl acl-default-whitelist inbound",
    "system reboot mode cold",
    "system ssh-server state enabled",
    "system timezone Etc/UTC",
    "system wjh channel forwarding trigger l2",
    "system wjh channel forwarding trigger l3",
    "system wjh channel forwarding trigger tunnel",
)
"""As NVIDIA enterprise-ras 3.0.0 exports it from 5.13."""


def configuration(spec: SwitchSpec, root: Node, release: Release) -> Tree:
    """Return the first configuration of a switch."""
    later = release >= _STATE_WORDS
    lines = [*_STARTUP, "system wjh state enabled" if later else "system wjh enable on", *_console(spec, later=later)]
    return build_tree(chain.from_iterable(expanded(root, line.split(" ")) for line in lines))


def _console(spec: SwitchSpec, *, later: bool) -> Iterator[str]:
    """Yield what gives a switch its name and its address."""
    family = "ipv4" if later else "ip"
    yield f"system hostname {spec.name}"
    yield "interface eth0 type eth"
    yield "interface eth0 vrf mgmt" if later else "interface eth0 ip vrf mgmt"
    if spec.management_address is not None:
        yield f"interface eth0 {family} address {spec.management_address}"
    if spec.management_gateway is not None:
        yield f"interface eth0 {family} gateway {spec.management_gateway}"
