"""Commit subjects of more than 72 characters are refused, by the hook and in the history since the rule."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "commit_subjects.sh"


def git(folder: Path, *arguments: str, date: str = "2026-11-23T00:00:00Z") -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    environment = {**os.environ, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environment)


@pytest.mark.parametrize(("subject", "status"), [("é" * 72, 0), ("é" * 73, 1)])
def test_the_hook_counts_characters_of_the_subject(subject: str, status: int, tmp_path: Path) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    message.write_text(f"{subject}\n\n{'a line of the body ' * 10}\n", encoding="utf-8")

    finished = subprocess.run([SCRIPT, message], check=False, capture_output=True, text=True)

    assert finished.returncode == status
    assert ("73 characters, at most 72" in finished.stderr) == bool(status)


def test_history_is_checked_since_the_rule(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / SCRIPT.name
    script.parent.mkdir()
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "old " * 30, date="2026-11-21T00:00:00Z")
    shutil.copy(SCRIPT, script)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "Refuse long subjects")
    git(tmp_path, "commit", "--allow-empty", "-m", "Short")
    before = subprocess.run([script], check=False, capture_output=True, text=True)
    git(tmp_path, "commit", "--allow-empty", "-m", "new " * 30)

    after = subprocess.run([script], check=False, capture_output=True, text=True)

    assert (before.returncode, before.stderr) == (0, "")
    assert after.returncode == 1
    assert "new new" in after.stderr
    assert "old" not in after.stderr
