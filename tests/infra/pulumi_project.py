"""A Pulumi project in a folder of its own, with its own state, run by the real engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

STACK = "site-a"
PASSPHRASE = "only-for-tests"
NOTHING_EXPECTED_BUT_SOMETHING_FOUND = 7
"""Exit status of ``--expect-no-changes`` where there are changes."""


class Project:
    """One project with one stack.

    Parameters
    ----------
    folder
        Holds Pulumi.yaml; state and the engine's own files go there too.
    environment
        Variables for the program and the provider.
    longest_s
        Longest that one command may take.
    """

    def __init__(self, folder: Path, environment: dict[str, str], longest_s: float = 300) -> None:
        self.folder = folder
        self._longest_s = longest_s
        self._environment = {
            **os.environ,
            "PULUMI_BACKEND_URL": f"file://{folder}",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            **environment,
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command of the engine."""
        command = ["pulumi", "--non-interactive", "--color", "never", *arguments]
        return subprocess.Popen(
            command, cwd=self.folder, env=self._environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def try_to(self, *arguments: str) -> tuple[int, str]:
        """Run one command; return its exit status and what it printed."""
        with self.start(*arguments) as process:
            output, _ = process.communicate(timeout=self._longest_s)
        return process.returncode, output

    def run(self, *arguments: str) -> str:
        """Run one command that must end well, and return what it printed."""
        status, output = self.try_to(*arguments)
        assert status == 0, output
        return output

    def up(self, *arguments: str) -> str:
        """Deploy, a hundred devices at once."""
        return self.run("up", "--yes", "--skip-preview", "--parallel", "128", *arguments)

    def state(self) -> dict[str, Any]:
        """The stack's whole state, as it lies on the disk."""
        state: dict[str, Any] = json.loads((self.folder / f".pulumi/stacks/rackproof/{STACK}.json").read_text())
        return state

    def resources(self) -> dict[str, dict[str, Any]]:
        """Every resource of the state, by name."""
        found = self.state()["checkpoint"]["latest"]["resources"]
        return {resource["urn"].rsplit("::", maxsplit=1)[-1]: resource for resource in found}


def write_yaml(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML


def python_runtime() -> dict[str, Any]:
    """The environment that the tests run in."""
    return {"name": "python", "options": {"toolchain": "pip", "virtualenv": sys.prefix}}
