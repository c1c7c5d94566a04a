"""What is advised where Ansible gives up, by what it was heard to say."""

from __future__ import annotations

import pytest

from rackproof.deploy.nodes.hints import hint_for

FULL = "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp', '/usr/tmp']"
"""A module of Ansible on a server whose root file system is full."""


@pytest.mark.parametrize(
    ("said", "advised"),
    [
        (f"Module result deserialization failed: No start of json char found: {FULL}", "make room on its disk"),
        ("E: Unable to locate package rdma-core", "give it a package repository that has the package"),
        ("Timed out waiting for last boot time check", "check its console over its BMC"),
        ("something that nobody has seen", "fix the cause"),
    ],
)
def test_what_went_wrong_decides_what_is_advised(said: str, advised: str) -> None:
    hint = hint_for(said, "`rackproof up site --only gpu-001`")
    assert hint.startswith(advised)
    assert hint.endswith("then `rackproof up site --only gpu-001`")
