"""The house rules that no linter holds: sizes, what may not be committed, and generated pages that are fresh."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.source_tree import ALL_PYTHON, CHECKOUT, PRODUCT, Module, modules

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE_LINES: Final = 400
MAX_FUNCTION_LINES: Final = 40
MAX_PROGRAM_LINES: Final = 40

# Written in pieces, so that this file does not hold what it looks for. The home folder of admin is every switch's, and
# dot files of root are every host's.
UNWANTED: Final = {
    "an address of a package index": r"(files\.python" + r"hosted|pypi\.(org|python)|--(extra-)?index" + r"-url[ =])",
    "a path of one person's machine": r"(?<![\w.$}])/("
    r"work/(main|shared)|home/(?!admin/)\w+/|Users/\w+/|root/[^.])",
    "a mark of unfinished work": r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b",
    "a private key": r"-----BEGIN ([A-Z]+ )?PRIVATE" + r" KEY-----",
}


def tracked_text_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    paths = [CHECKOUT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:8000]]


@pytest.mark.parametrize("module", modules(*ALL_PYTHON), ids=lambda module: module.relative)
def test_file_is_short(module: Module) -> None:
    lines = module.text.count("\n")

    assert lines <= MAX_FILE_LINES, f"{module.relative} has {lines} lines: give each reason to change its own file"


@pytest.mark.parametrize("module", modules(*PRODUCT), ids=lambda module: module.relative)
def test_functions_are_short(module: Module) -> None:
    long = [f"{module.relative}:{line} {name}" for name, line, size in module.functions() if size > MAX_FUNCTION_LINES]

    assert long == []


def test_pulumi_program_is_thin() -> None:
    program = CHECKOUT / "infra" / "__main__.py"

    assert program.read_text(encoding="utf-8").count("\n") <= MAX_PROGRAM_LINES


@pytest.mark.parametrize("pattern", UNWANTED.values(), ids=UNWANTED)
def test_nothing_unwanted_is_committed(pattern: str) -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}: {line.strip()[:100]}"
        for path in tracked_text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]

    assert found == []


def test_generated_reference_is_fresh() -> None:
    finished = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )

    assert finished.returncode == 0, finished.stdout + finished.stderr
