"""Every recorded output is parsed as its case says: ``<nos>/<module>/<case>.txt`` beside ``<case>.json``."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

CASES = sorted(Path(__file__).parent.glob("*/*/*.json"))


def plain(found: Any) -> Any:  # noqa: ANN401 whatever a parser returns
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_is_read_as_the_case_says(case: Path) -> None:
    wanted = json.loads(case.read_text(encoding="utf-8"))
    facts = importlib.import_module(f"rackproof.facts.nos.{case.parent.parent.name}.{case.parent.name}")
    parse = getattr(facts, wanted["parser"])
    assert plain(parse(case.with_suffix(".txt").read_text(encoding="utf-8"))) == wanted["expected"]


def test_every_recording_has_a_case() -> None:
    recordings = {path.with_suffix(".json") for path in Path(__file__).parent.glob("*/*/*.txt")}
    assert recordings == set(CASES)
