"""What the catalogue's loader says about names and files it cannot use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue, CatalogueFileError, UnknownModelError, read_entry
from rackproof.hardware.models import CordModel
from rackproof.hardware.provenance import provenance_problems

if TYPE_CHECKING:
    from pathlib import Path

CORD: Final = """\
model: cord-c14-c13
name: Power cord
vendor: any
plug: c14
socket: c13
current_a: 10.0
lengths_m: [1.0]
sources: {current_a: IEC 60320-1}
assumed: {lengths_m: stocked everywhere}
"""


def cord_error(tmp_path: Path, text: str, name: str = "cord-c14-c13") -> CatalogueFileError:
    file = tmp_path / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogueFileError) as raised:
        read_entry(file, CordModel)
    assert str(raised.value).startswith(str(file))
    return raised.value


def test_a_right_file_loads(tmp_path: Path) -> None:
    (tmp_path / "cord-c14-c13.yaml").write_text(CORD, encoding="utf-8")

    assert read_entry(tmp_path / "cord-c14-c13.yaml", CordModel).current_a == pytest.approx(10.0)


def test_unknown_name_offers_close_ones() -> None:
    with pytest.raises(UnknownModelError) as raised:
        Catalogue().switch("dell-z9846f-on")

    assert raised.value.kind == "switches"
    assert raised.value.matches[0] == "dell-z9864f-on"
    assert raised.value.hint.startswith("did you mean dell-z9864f-on")


def test_unknown_name_unlike_any_lists_all() -> None:
    with pytest.raises(UnknownModelError) as raised:
        Catalogue().rack("cupboard")

    assert raised.value.matches == ()
    assert raised.value.hint == "known: apc-ar3300, apc-ar3307, apc-ar3350, apc-ar3357"


@pytest.mark.parametrize("name", ["../nics/broadcom-bcm5720-2x1g", "/etc/passwd", ""])
def test_a_name_never_leaves_its_folder(name: str) -> None:
    with pytest.raises(UnknownModelError):
        Catalogue().switch(name)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    folder = tmp_path / "cords"
    folder.mkdir()
    (folder / "cord-c14-c13.yaml").write_text(CORD, encoding="utf-8")
    catalogue = Catalogue(tmp_path)
    first = catalogue.cord("cord-c14-c13")
    (folder / "cord-c14-c13.yaml").write_text("not: a cord", encoding="utf-8")

    assert catalogue.cord("cord-c14-c13") is first


def test_another_catalogue_reads_a_file_again_that_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "cords" / "cord-c14-c13.yaml"
    file.parent.mkdir()
    file.write_text(CORD, encoding="utf-8")
    first = Catalogue(tmp_path).cord("cord-c14-c13")
    assert Catalogue(tmp_path).cord("cord-c14-c13") is first

    file.write_text(CORD.replace("vendor: any", "vendor: another"), encoding="utf-8")

    assert Catalogue(tmp_path).cord("cord-c14-c13").vendor == "another"


def test_a_broken_file_does_not_matter_until_it_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "cords"
    folder.mkdir()
    (folder / "cord-c14-c13.yaml").write_text(CORD, encoding="utf-8")
    (folder / "broken.yaml").write_text("plug: [", encoding="utf-8")
    catalogue = Catalogue(tmp_path)

    assert catalogue.cord("cord-c14-c13").plug == "c14"
    with pytest.raises(CatalogueFileError):
        catalogue.cords()


def test_yaml_error_has_a_place(tmp_path: Path) -> None:
    error = cord_error(tmp_path, CORD.replace("plug: c14", "plug: [c14"))

    assert "line 5" in str(error)


def test_every_wrong_field_is_named(tmp_path: Path) -> None:
    text = CORD.replace("current_a: 10.0", "current_a: ten").replace("plug: c14", "plug: schuko") + "colour: red\n"

    fields = {problem.partition(":")[0] for problem in cord_error(tmp_path, text).problems}

    assert fields == {"current_a", "plug", "colour"}


def test_a_list_is_not_a_model(tmp_path: Path) -> None:
    assert cord_error(tmp_path, "- plug: c14\n").problems == ("not a mapping of fields",)


def test_model_must_be_the_file_name(tmp_path: Path) -> None:
    error = cord_error(tmp_path, CORD, name="cord-other")

    assert error.problems == ("model: 'cord-c14-c13' must be the file's name, 'cord-other'",)


def test_a_number_without_source_is_refused(tmp_path: Path) -> None:
    error = cord_error(tmp_path, CORD.replace("assumed: {lengths_m: stocked everywhere}\n", ""))

    assert error.problems == ("lengths_m: no source; add the field to sources, or to assumed with the reason",)


def test_a_source_of_nothing_is_refused(tmp_path: Path) -> None:
    error = cord_error(tmp_path, CORD.replace("{current_a: IEC", "{weight_kg: a scale, current_a: IEC"))

    assert error.problems == ("weight_kg: named in sources or assumed, but there is no such field",)


@pytest.mark.parametrize(
    ("sources", "unsourced"),
    [
        ({}, {"body.depth_mm", "body.weight_kg", "ports.lanes"}),
        ({"body": "sheet"}, {"ports.lanes"}),
        ({"body.depth_mm": "sheet", "ports": "map"}, {"body.weight_kg"}),
        ({"bod": "no prefix of words"}, {"body.depth_mm", "body.weight_kg", "ports.lanes"}),
        ({"ports.lanes": "map", "body": "sheet"}, set()),
    ],
)
def test_a_source_vouches_for_what_lies_below_it(sources: dict[str, str], unsourced: set[str]) -> None:
    document = {
        "name": "a switch",
        "hot_swap": True,
        "body": {"depth_mm": 460, "weight_kg": 10.5},
        "ports": [{"cage": "rj45", "lanes": 1}, {"cage": "rj45", "lanes": 4}],
        "sources": sources,
    }

    problems = provenance_problems(document)

    assert {problem.partition(":")[0] for problem in problems if "no source" in problem} == unsourced
