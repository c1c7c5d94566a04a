"""What people and programs are given: complete, the same for the same run, and no word of a device is markup."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import jsonschema
import pytest
from msgspec.structs import replace

from rackproof.report.content.dossier import json_schema
from rackproof.report.content.findings import Findings
from rackproof.report.content.matrices import by_value
from tests.unit.report.runs import calibrated_run, failed_run, make_run

if TYPE_CHECKING:
    from rackproof.results import Run, State, Verdict
    from tests.conftest import Golden
    from tests.unit.report.conftest import Maker

GOLDEN: Final = Path(__file__).parent / "golden"
EVIL: Final = '<script>alert(1)</script><img src=x onerror="alert(2)">'
MEGABYTE: Final = 1_000_000


class Page(HTMLParser):
    """What a page links to, what it names, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.links += [value for value in [attributes.get("href")] if value]
        self.anchors += [value for value in [attributes.get("id")] if value]


def document_text(folder: Path, name: str = "dossier.html") -> str:
    return (folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["dossier.md", "junit.xml", "dossier.json"])
def test_it_reads_as_it_did(make: Maker, golden: Golden, name: str) -> None:
    golden(GOLDEN / f"failed-{name}", document_text(make(failed_run()), name))


@pytest.mark.parametrize("run", [make_run(), make_run(rehearsal=True), failed_run()])
def test_json_follows_its_schema(make: Maker, run: Run) -> None:
    folder = make(run)
    schema = json.loads(document_text(folder, "dossier.schema.json"))

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(document_text(folder, "dossier.json")), schema)
    assert schema == json.loads(json.dumps(json_schema()))


def test_the_schema_refuses_what_is_not_a_verdict(make: Maker) -> None:
    document = json.loads(document_text(make(make_run()), "dossier.json"))

    with pytest.raises(jsonschema.ValidationError, match="perfect"):
        jsonschema.validate({**document, "verdict": "perfect"}, json_schema())


def test_junit_counts_as_the_run_does(make: Maker) -> None:
    root = ET.fromstring(document_text(make(failed_run()), "junit.xml"))  # noqa: S314 our own text
    cases = root.findall("testsuite/testcase")

    assert (root.get("tests"), root.get("failures"), root.get("errors")) == (str(len(cases)), "3", "2")
    assert [len(root.findall(f".//{kind}")) for kind in ("failure", "error", "skipped")] == [3, 2, 2]
    for suite in root:
        assert suite.get("tests") == str(len(suite))
        assert suite.get("failures") == str(len(suite.findall(".//failure")))
        assert suite.get("skipped") == str(len(suite.findall(".//skipped")))


def test_the_page_needs_nothing_else(make: Maker) -> None:
    text = document_text(make(failed_run()))
    page = Page(text)

    assert "default-src 'none'" in text
    assert not re.findall(r"https?://|@import|url\(|//[a-z]+\.", re.sub(r"https://github.com/NVIDIA\S*", "", text))
    assert not [tag for tag, attributes in page.tags if {"src", "srcset", "data", "action"} & set(attributes)]
    assert not [tag for tag, _ in page.tags if tag in {"link", "iframe", "object", "embed", "base", "form"}]


def test_every_link_leads_somewhere(make: Maker) -> None:
    folder = make(failed_run())
    page = Page(document_text(folder))
    files = [link for link in page.links if not link.startswith("#")]

    assert "evidence/facts/gpu-001.json" in files
    assert [link for link in files if not (folder / unquote(link)).is_file()] == []
    assert [link for link in page.links if link.startswith("#") and link[1:] not in page.anchors] == []
    assert len(page.anchors) == len(set(page.anchors))


@pytest.mark.parametrize(
    ("run", "verdict", "word"),
    [
        (make_run(), "passed", "on the site itself"),
        (make_run(rehearsal=True), "rehearsal passed", "no hardware"),
        (failed_run(), "failed", "3 results of 3 checks failed"),
        (replace(make_run(), interrupted=True), "incomplete", "the run was interrupted"),
        (replace(make_run(), selected=True), "incomplete", "only some of the checks were chosen to run"),
    ],
)
def test_the_verdict_stands_first(make: Maker, run: Run, verdict: Verdict, word: str) -> None:
    folder = make(run)
    text = document_text(folder)
    body = text[text.index("<body>") :]

    assert 0 < body.index(f'<strong class="word">{verdict}<') < body.index("<main>")
    assert body.index(word) < body.index("<main>")
    assert document_text(folder, "dossier.md").startswith(f"# {run.site}: {verdict}\n")
    assert json.loads(document_text(folder, "dossier.json"))["verdict"] == verdict


def test_a_rehearsal_says_what_it_cannot_prove(make: Maker) -> None:
    run = make_run(rehearsal=True)
    folder = make(run)

    for line in run.not_proven:
        assert line.partition(":")[0] in document_text(folder)
        assert line.partition(":")[0] in document_text(folder, "dossier.md")


def test_a_failure_says_all_that_is_needed(make: Maker) -> None:
    text = document_text(make(failed_run()))
    card = text[text.index("gpu-002:rail5 &gt; gpu-003:rail5</h4>") :]
    card = card[: card.index("</article>")]

    for part in ("Reseat the cable", "197.3 Gb/s", "at least 384 Gb/s", "OCI active_healthcheck", "392.1", "CNPs: 0"):
        assert part in card
    assert '<span class="kind real">' in card
    assert 'href="evidence/logs/gpu-002-rail5.txt"' in card


def test_what_repeats_itself_is_told_once(make: Maker) -> None:
    run = failed_run()
    place = next(
        place for place, one in enumerate(run.results) if one.subject == "gpu-001:rail3" and one.state == "failed"
    )
    told = replace(run.results[place], message="Expected priority 3. Actual none.")
    text = document_text(make(replace(run, results=(*run.results[:place], told, *run.results[place + 1 :]))))

    assert "Expected priority 3. Actual none." not in text
    assert "<dd>priority 3</dd>" in text


def test_a_missing_result_is_told_everywhere(make: Maker) -> None:
    folder = make(failed_run())

    assert "Mounts use RDMA, as mountstats says: gpu-002" in document_text(folder)
    assert "| storage/transport | gpu-002 |" in document_text(folder, "dossier.md")
    assert "this check has no result" in document_text(folder, "junit.xml")


def test_words_of_devices_are_never_markup(make: Maker) -> None:
    run = failed_run()
    evil = replace(
        run.results[0], state="failed", subject=EVIL, actual=EVIL, message=f"{EVIL}\x00\x1b[2J", remedy=f"`{EVIL}`"
    )
    devices = (replace(run.devices[0], serial=EVIL, versions={EVIL: EVIL}), *run.devices[1:])
    folder = make(replace(run, results=(evil, *run.results[1:]), devices=devices, commands={EVIL: (EVIL,)}))

    page = Page(document_text(folder))
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert [tag for tag, _ in page.tags if tag == "script"] == ["script"]
    assert "<script>" not in document_text(folder, "dossier.md").replace("\\<", "")
    ET.fromstring(document_text(folder, "junit.xml"))  # noqa: S314 our own text
    assert (folder / "dossier.pdf").read_bytes().startswith(b"%PDF")


def test_evidence_that_is_gone_is_told(make: Maker) -> None:
    run = make_run()
    lost = replace(run.results[0], logs=("logs/nowhere.txt",))
    folder = make(replace(run, results=(*run.results[1:], lost)))
    (folder.parent / "validation" / "20261121T080000Z" / "logs" / "nowhere.txt").unlink()
    folder = make(run, "again")

    assert json.loads(document_text(folder, "dossier.json"))["lost_logs"] == ["logs/nowhere.txt"]
    assert "logs/nowhere.txt (lost)" in document_text(folder)


def test_a_large_site_stays_readable(make: Maker) -> None:
    folder = make(failed_run(512))
    text = document_text(folder)
    page = Page(text)

    assert len(text) < MEGABYTE
    assert (folder / "dossier.pdf").stat().st_size < MEGABYTE / 4
    assert (folder / "bundle.zip").stat().st_size < 4 * MEGABYTE
    assert sum(tag == "tr" for tag, _ in page.tags) < 2000
    assert text.count("<article") == 4
    assert "3 of 4,096 shown" in text
    rails = re.findall(r"<strong>(rail\d)</strong> <span class=\"soft\">([^<]*)<", text)
    assert rails[:8] == [(f"rail{rail}", f"{'1 failed, 511' if rail in {3, 5} else '512'} passed") for rail in range(8)]


def test_a_check_that_failed_everywhere_hides_no_other(make: Maker) -> None:
    run = failed_run(128)
    everywhere = {"state": "failed", "expected": "2.7.4", "actual": "2.6.1", "remedy": "Update the BIOS."}
    results = [replace(one, **everywhere) if one.check_id == "inventory/bios" else one for one in run.results]
    folder = make(replace(run, results=tuple(results)))
    text = document_text(folder)

    assert text.count("<article") == 7
    assert text.index("125 more") < text.index("PFC is off on this port") < text.index('id="matrices"')
    assert "PFC is on for exactly" in document_text(folder, "dossier.md")


def test_suites_are_called_by_what_they_are_about(make: Maker) -> None:
    folder = make(make_run())

    assert '<h3 id="suite-roce">RoCE: every port says what the plan says <span' in document_text(folder)
    assert '<h3 id="suite-links">links</h3>' in document_text(folder)
    assert "| rdma | RDMA: rails carry what they must | 0 |" in document_text(folder, "dossier.md")


def test_baseline_in_force_is_named_with_what_it_decides(make: Maker) -> None:
    folder = make(calibrated_run())
    page, text = document_text(folder), document_text(folder, "dossier.md")
    said = "Baseline in force: baseline.yaml, 40 values of the run of 2026-11-20T10:00:00Z. "
    decided = re.search(r"It sets the limit of (\d+) of (\d+) measured values, where it is stricter", page)

    assert said in page
    assert said in text.replace("\\", "")
    assert decided is not None
    rows = re.findall(r'<td class="w">([^<]*)<td class="n">(\d+)<td class="n">(\d+)</tr>', page)
    assert rows == [("Each rail writes at line rate to the same rail of another server", "16", decided[1])]
    assert 0 < int(decided[1]) < 16 < int(decided[2])


def test_values_with_a_limit_each_are_one_picture(make: Maker) -> None:
    page = document_text(make(calibrated_run()))

    assert page.count('<div class="values">') == 3
    assert "at least 100 % of its own limit" in page
    assert re.search(r"Threshold: at least 384 Gb/s, by the baseline at least 38\d\.?\d? to 38\d\.?\d? Gb/s\.", page)


def test_without_a_baseline_it_says_so(make: Maker) -> None:
    assert "No baseline is in force" in document_text(make(make_run()))


def test_rails_of_servers_and_of_switches_stand_apart(make: Maker) -> None:
    run = make_run()
    results = [replace(one, rail=4) if one.device == "leaf-01" else one for one in run.results]
    page = document_text(make(replace(run, results=tuple(results))))

    assert page.count("<h3>Servers and rails</h3>") == page.count("<h3>Switches and rails</h3>") == 1
    switches = page[page.index("<h3>Switches and rails</h3>") :]
    assert re.findall(r"<tr><th>([^<]*)</th>", switches[: switches.index("</table>")]) == ["", "leaf-01"]


@pytest.mark.parametrize(("measured", "state", "shown"), [(2.0, "passed", 1), (2.0, "failed", 2), (None, "passed", 2)])
def test_values_that_are_all_the_same_are_no_matrix(measured: float | None, state: State, shown: int) -> None:
    results = [
        replace(one, measured=measured or one.measured, state=state) if one.check_id == "rdma/write-latency" else one
        for one in make_run().results
    ]

    assert len(list(by_value(Findings(replace(make_run(), results=tuple(results)))))) == shown
