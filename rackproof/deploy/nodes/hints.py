"""Hints: what to do about a failure that Ansible reports."""

import re
from typing import Final

HINTS: Final = (
    (r"management controller", "check its cable, its certificate and its entry <server>-bmc of access.yaml"),
    (r"no space left|errno 28|disk quota|no usable temporary directory", "make room on its disk"),
    (r"sudo|privilege|become", "let its user use sudo without a password"),
    (r"host key|identification has changed", "find out why its host key changed; `rackproof trust` records a new one"),
    (r"last boot time|reboot|did not come back", "check its console over its BMC: it was restarted and is not back"),
    (r"expected time frame|timed? ?out", "check on its console what it is doing"),
    (r"no package matching|unable to (locate|fetch)|failed to (fetch|download)|apt|dpkg|no matching",
     "give it a package repository that has the package, or the release another version"),
    (r"validate|syntax|failed to validate", "the old file is still in place; check the message and the site file"),
    (r"adapter|pci|slot", "place the adapter as planned, or run discovery again after a planned change"),
    (r"unreachable|connect|ssh|closed by", "is it powered and cabled? check its console"),
)  # fmt: skip
"""Patterns in the module's message with their hints; the first that matches is used."""


def hint_for(cause: str, resume: str) -> str:
    """Return what to do, and the command that resumes afterwards."""
    found = next((hint for pattern, hint in HINTS if re.search(pattern, cause, re.IGNORECASE)), "fix the cause")
    return f"{found}; then {resume}"
