"""From a path to a site, or to sentences about why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from rackproof.errors import BadInputError, SiteErrors
from rackproof.paths import INVENTORY, site_file
from rackproof.site.document import read_document
from rackproof.site.load import find_site, load_site, site_names
from rackproof.site.schema import json_schema
from rackproof.site.text_file import SIZE_MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path

SITES = sorted(INVENTORY.glob("*/site.yaml"))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json_schema()


@pytest.mark.parametrize("file", SITES, ids=lambda file: file.parent.name)
def test_sites_of_the_inventory(file: Path, schema: dict[str, Any]) -> None:
    loaded = load_site(file)

    assert loaded.site.site == file.parent.name
    assert loaded.text == file.read_text(encoding="utf-8")
    assert loaded.place(("servers", 0, "model")).text.strip().startswith(("model: dell-", "model: azure-nd"))
    jsonschema.validate(read_document(file, loaded.text).data, schema)


@pytest.mark.parametrize("file", SITES, ids=lambda file: file.parent.name)
def test_a_site_fits_on_one_screen(file: Path) -> None:
    of_two_servers = file.parent.name.startswith("metrum")
    assert file.read_text(encoding="utf-8").count("\n") <= (40 if of_two_servers else 50)


@pytest.mark.parametrize("file", SITES, ids=lambda file: file.parent.name)
def test_editors_find_the_schema(file: Path) -> None:
    first, _, _ = file.read_text(encoding="utf-8").partition("\n")
    _, _, target = first.partition("$schema=")

    assert json.loads((file.parent / target).read_text(encoding="utf-8"))["title"] == "Rackproof site"


def test_schema_explains_itself(schema: dict[str, Any]) -> None:
    roce = schema["$defs"]["Roce"]["properties"]

    jsonschema.Draft202012Validator.check_schema(schema)
    assert roce["host_dscp"]["description"].startswith("What hosts mark RoCE data with")


def test_schema_refuses_what_the_loader_refuses(schema: dict[str, Any]) -> None:
    data: Any = read_document(SITES[0], SITES[0].read_text(encoding="utf-8")).data
    data["servers"][0]["cuont"] = 2

    with pytest.raises(jsonschema.ValidationError, match="cuont"):
        jsonschema.validate(data, schema)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"site: \xff\n", "is no UTF-8 text: byte 0xff in line 1"),
        ("site: \u00e4".encode("utf-16"), "is no UTF-8 text"),
        (b"#" * (SIZE_MAX_BYTES + 1), "is larger than such a file can be (1 MiB)"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "site.yaml"
    file.write_bytes(content)

    with pytest.raises(BadInputError) as refusal:
        load_site(file)

    assert said in refusal.value.message


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + SITES[0].read_bytes())

    assert load_site(file).site == load_site(SITES[0]).site


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="is a folder"):
        load_site(tmp_path)
    with pytest.raises(BadInputError, match="No such file"):
        load_site(tmp_path / "site.yaml")


def test_sites_are_found_by_name_file_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "site.yaml").touch()

    assert find_site("metrum-h200") == site_file("metrum-h200")
    assert find_site("here").as_posix() == "here/site.yaml"
    assert find_site("not-there.yaml").as_posix() == "not-there.yaml"
    with pytest.raises(BadInputError, match="there is no site metrum-h20") as refusal:
        find_site("metrum-h20")
    assert refusal.value.hint == "did you mean metrum-h200?"
    assert {"metrum-h200", "metrum-mi300x"} <= set(site_names())


def test_errors_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text("release: 5\nfabrics: {}\nsite: A\nservers: []\nracks: 1\n", encoding="utf-8")

    with pytest.raises(SiteErrors) as refusal:
        load_site(file)

    assert [error.place.line for error in refusal.value.errors if error.place] == [1, 2, 3, 4, 5]
    assert [error.message for error in refusal.value.errors] == [
        "release must be text, not 5",
        "fabrics is empty: at least one is needed",
        "'A' is not a valid name: lowercase letters, digits and dashes, a letter first, 63 characters at most",
        "servers is empty: at least one is needed",
        "racks must be a list, not 1",
    ]


def test_roce_none_is_short_for_no_roce(tmp_path: Path, schema: dict[str, Any]) -> None:
    text = next(file for file in SITES if file.parent.name == "metrum-h200").read_text(encoding="utf-8")
    file = tmp_path / "site.yaml"
    file.write_text(text.replace("roce: {}", "roce: none"), encoding="utf-8")

    loaded = load_site(file)

    jsonschema.validate(loaded.document.data, schema)
    roce = loaded.site.fabrics["backend"].roce
    assert roce is not None
    assert not roce.enabled
