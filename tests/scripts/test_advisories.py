"""The lock files, the bill of materials made from them, and their comparison with published advisories."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import pytest

from scripts import advisories, sbom
from scripts.locked import SCOPES, locked_packages, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HASH: Final = "a" * 64
LOCK: Final = f"""\
left==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:{HASH}
    # via
    #   -r requirements.in
    #   right
right==2.0 \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{"b" * 64}
    # via -r requirements.in
"""


class Service(BaseHTTPRequestHandler):
    """Answers as OSV does: one result for each query, in their order."""

    vulnerable: str = ""
    text: str | None = None
    status: int = 200

    def do_POST(self) -> None:
        """Answer a batch query."""
        queries = json.loads(self.rfile.read(int(self.headers["content-length"])))["queries"]
        results: list[Any] = [
            {"vulns": [{"id": "PYSEC-0-1"}]} if one["package"]["name"] == self.vulnerable else {} for one in queries
        ]
        body = (self.text if self.text is not None else json.dumps({"results": results})).encode()
        self.send_response(self.status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it
        """Print nothing."""


@contextmanager
def service(**answer: object) -> Iterator[str]:
    """Run the service and yield its address."""
    server = HTTPServer(("127.0.0.1", 0), type("Answering", (Service,), answer))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/querybatch"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["advisories.py", *words])
    return advisories.main()


def test_an_advisory_about_a_locked_version_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with service(vulnerable="asyncssh") as address:
        assert run(monkeypatch, "--address", address) == 1
    said = capsys.readouterr().out
    assert "requirements.txt: asyncssh" in said
    assert "https://osv.dev/vulnerability/PYSEC-0-1" in said


@pytest.mark.parametrize(("until", "status"), [("2999-01-01", 0), ("2020-01-01", 1)])
def test_an_advisory_is_accepted_until_its_date(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, until: str, status: int
) -> None:
    file = tmp_path / "accepted.toml"
    file.write_text(f'[[accepted]]\nid = "PYSEC-0-1"\nreason = "not reached"\nuntil = {until}\n', "utf-8")
    monkeypatch.setattr(advisories, "ACCEPTED", file)
    with service(vulnerable="asyncssh") as address:
        assert run(monkeypatch, "--address", address) == status


def test_locked_versions_without_advisories_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with service() as address:
        assert run(monkeypatch, "--address", address, "--strict") == 0
    assert "0 advisories" in capsys.readouterr().out


@pytest.mark.parametrize(
    "answer",
    [{"text": "<html>log in</html>"}, {"text": '{"results": []}'}, {"text": "[]"}, {"status": 503}],
    ids=["a portal", "too few results", "no object", "out of order"],
)
def test_an_answer_that_is_none_is_not_a_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: dict[str, object]
) -> None:
    with service(**answer) as address:
        assert run(monkeypatch, "--address", address) == 0
        assert run(monkeypatch, "--address", address, "--strict") == 3
    assert capsys.readouterr().out.count("could not check") == 2


def test_without_a_connection_the_check_says_that_it_could_not_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with service() as address:
        port = urlsplit(address).port
    assert run(monkeypatch, "--address", f"http://127.0.0.1:{port}/") == 0
    assert "could not check" in capsys.readouterr().out


def test_no_date_accepts_an_advisory_for_ever() -> None:
    assert advisories.accepted(date.max) == {}


def test_a_lock_file_is_read_with_markers_hashes_and_dependants() -> None:
    left, right = parse("lock.txt", LOCK)

    assert (left.name, left.version, left.marker) == ("left", "1.0", "python_full_version < '3.12'")
    assert (left.requested, left.required_by) == (True, ("right",))
    assert (right.marker, right.required_by, right.requested) == ("", (), True)
    assert right.hashes == (HASH, "b" * 64)


@pytest.mark.parametrize("text", ["", "left>=1.0\n", "left==1.0\n"], ids=["empty", "no lock", "no hash"])
def test_a_lock_file_without_hashes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"lock\.txt"):
        list(parse("lock.txt", text))


def test_no_locked_package_is_abandoned_or_installed_for_one_collection() -> None:
    product = {one.name for one in locked_packages(["requirements.txt"])}

    assert not product & {"ansible", "lockfile", "python-daemon", "pulumi", "grpcio", "debugpy"}


def test_the_bill_of_materials_has_every_package_once_with_its_scope() -> None:
    document = sbom.document()

    refs = [one["bom-ref"] for one in document["components"]]
    assert len(refs) == len(set(refs)) == len(locked_packages()) + 1
    scopes = {one["name"]: one["scope"] for one in document["components"] if one["purl"].startswith("pkg:pypi/")}
    assert (scopes["asyncssh"], scopes["pulumi"], scopes["mypy"]) == ("required", "optional", "excluded")
    assert {one["ref"] for one in document["dependencies"]} == {"rackproof", *refs[:-1]}
    own = next(one["dependsOn"] for one in document["dependencies"] if one["ref"] == "rackproof")
    assert [ref for ref in own if ref.startswith("pkg:pypi/pydantic@")]
    assert document["specVersion"] == "1.6"
    assert set(SCOPES.values()) == {"required", "optional", "excluded"}
