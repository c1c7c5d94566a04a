"""The skip gate: an unexplained skip is red under CI, an argued one and a local one are not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SKIP_IN_TEST = 'import pytest\n\ndef test_one():\n    pytest.skip("{reason}")\n'
SKIP_OF_MODULE = 'import pytest\n\npytest.skip("{reason}", allow_module_level=True)\n'
ARGUED = "the Pulumi engine is not on the PATH"


def run_pytest(checkout: Path, folder: Path, module: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(checkout / "tests/conftest.py", folder)
    (folder / "test_it.py").write_text(module + "\n\ndef test_other():\n    pass\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)],
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.mark.parametrize(
    ("module", "reason", "ci", "red"),
    [
        (SKIP_IN_TEST, "the day was long", "true", True),
        (SKIP_IN_TEST, "the day was long", "", False),
        (SKIP_IN_TEST, ARGUED, "true", False),
        (SKIP_OF_MODULE, "could not import it", "true", True),
    ],
    ids=["unexplained", "unexplained-local", "argued", "unexplained-module"],
)
def test_skip_gate(checkout: Path, tmp_path: Path, module: str, reason: str, ci: str, *, red: bool) -> None:
    finished = run_pytest(checkout, tmp_path, module.format(reason=reason), ci=ci)

    assert (finished.returncode != 0) == red, finished.stdout + finished.stderr
    assert ("unexpected skips" in finished.stdout) == (reason != ARGUED)
    assert finished.stdout.count(f"test_it.py{'::test_one' if module == SKIP_IN_TEST else ''}: {reason}") == (
        reason != ARGUED
    )
