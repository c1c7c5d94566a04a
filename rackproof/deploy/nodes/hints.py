"""Hints: what to do about what Ansible says went wrong."""

import re
from typing import Final

HINTS: Final = (
    (r"management controller", "look at its cable and its certificate, and at its entry <server>-bmc of access.yaml"),
    (r"no space left|errno 28|disk quota|no usable temporary directory", "make room on its disk"),
    (r"sudo|privilege|become", "let its user use sudo without a password"),
    (r"host key|identification has changed", "find out why its host key changed; `rackproof trust` records a new one"),
    (r"last boot time|reboot|did not come back", "look at its console, over its BMC: it was restarted and is not back"),
    (r"expected time frame|timed? ?out", "look at what it does now, over its console"),
    (r"no package matching|unable to (locate|fetch)|failed to (fetch|download)|apt|dpkg|no matching",
     "give it a package repository that has the package, or the release another version"),
    (r"validate|syntax|failed to validate", "the old file is still there; look at the message and the site file"),
    (r"adapter|pci|slot", "put the adapter where the plan has it, or run discovery again after a planned change"),
    (r"unreachable|connect|ssh|closed by", "is it powered and cabled? look at its console"),
)  # fmt: skip
"""Patterns in the module's message, the first that is found holds."""


def hint_for(cause: str, resume: str) -> str:
    """Return what to do, and the command that goes on afterwards."""
    found = next((hint for pattern, hint in HINTS if re.search(pattern, cause, re.IGNORECASE)), "mend the cause")
    return f"{found}; then {resume}"
