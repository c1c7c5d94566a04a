"""Another recipe is another disk: everything that goes into it is in its name."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from lab.hosts import recipe
from rackproof.paths import LAB_HOST_FILES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that go into the disk, to change."""
    copied = tmp_path / "tree"
    shutil.copytree(LAB_HOST_FILES, copied)
    monkeypatch.setattr(recipe, "LAB_HOST_FILES", copied)
    return copied


def test_the_same_recipe_has_the_same_name(tree: Path) -> None:
    assert tree.is_dir()
    assert recipe.recipe_hash() == recipe.recipe_hash()
    assert len(recipe.recipe_hash()) == 16


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: (tree / "etc/fstab").write_text("changed", "utf-8"),
        lambda tree: (tree / "etc/fstab").chmod(0o600),
        lambda tree: (tree / "etc/fstab").rename(tree / "etc/fstab2"),
        lambda tree: (tree / "etc/new").touch(),
    ],
    ids=["text", "mode", "name", "another file"],
)
def test_a_changed_file_is_another_disk(tree: Path, change: object) -> None:
    before = recipe.recipe_hash()
    assert callable(change)
    change(tree)

    assert recipe.recipe_hash() != before


def test_another_package_is_another_disk(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree.is_dir()
    before = recipe.recipe_hash()
    monkeypatch.setattr(recipe, "PACKAGES", (*recipe.PACKAGES, "one-more"))

    assert recipe.recipe_hash() != before
