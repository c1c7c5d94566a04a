"""Secrets never reach a dossier: neither those that devices are reached with, nor what looks like one."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rackproof.errors import BadInputError
from rackproof.report.build import Source, fill
from rackproof.report.run_folder import RunFolder
from rackproof.report.scrub import REMOVED, scrubber
from tests.unit.report.runs import SECRET, run_of, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.report.conftest import Maker

KEY = (
    "-----BEGIN OPENSSH PRIVATE "
    "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAAgQDx\n-----END OPENSSH PRIVATE "
    "KEY-----\n"
)
QUOTED = 'pa"ss\\word-7'


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("username admin password 0 Calvin#123 role admin", "Calvin#123"),
        ("snmp-server community s3cr3tword group network-operator", "s3cr3tword"),
        ("nv set service snmp-server readonly-community sesame access any", "sesame"),
        ("snmp-server user ops group network auth sha longenough", "longenough"),
        ("tacacs-server host 192.0.2.9 key 7 08351F1B1D431516475E", "08351F1B1D431516475E"),
        ("password = ab,c<d>;e[f]1", "d>;e[f]1"),
        ("password: hunter2hunter2", "hunter2hunter2"),
        ('{"api_key": "abcdef0123"}', "abcdef0123"),
        ('{"log": ["{\\"secret\\": \\"wintergreen\\"}"]}', "wintergreen"),
        ("admin:$6$rounds=5000$abcdefgh$0123456789:19000:0", "0123456789"),
        ("fetch https://robot:wagon99@repo.example/x", "wagon99"),
        ("Authorization: Bearer eyJhbGciOi.J9", "eyJhbGciOi.J9"),
        (KEY, "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"),
        (json.dumps({"log": KEY}), "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"),
    ],
)
def test_what_looks_like_a_secret_is_taken_out(text: str, secret: str) -> None:
    scrubbed, count = scrubber(())(text.encode())

    assert secret.encode() not in scrubbed
    assert REMOVED in scrubbed
    assert count == 1
    if text.startswith("{"):
        json.loads(scrubbed)


@pytest.mark.parametrize("end", ["\n", "\\n", "\r\n"])
def test_every_line_is_looked_at(end: str) -> None:
    lines = [f"line {place} password hunter{place} token: key{place}00" for place in range(300)]
    scrubbed, count = scrubber(())(f"{'x' * 70_000}{end}{end.join(lines)}{end}".encode())

    assert count == 300
    assert scrubbed.count(b"hunter") == 0
    assert scrubbed.startswith(b"x" * 70_000)
    assert scrubbed.count(b"line ") == 300


def test_nothing_is_taken_out_twice() -> None:
    once, _ = scrubber(())(b"password: hunter2hunter2\nsnmp-server community hunter2\n")

    assert scrubber(())(once) == (once, 0)


@pytest.mark.parametrize(
    "text",
    [
        "password authentication failed for admin",
        "the key of leaf-01 is not trusted yet: `rackproof trust`",
        "token ring is not used; a community of practice",
        "mlx5_core 0000:1a:00.0: key: none",
        "Shared secret not configured",
        "route-map out permit 10\n set community 65000:100 additive\n neighbor 192.0.2.1 send-community both",
        "Community: 65000:100, Extended Community: RT:65000:100",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert scrubber(())(text.encode())[0].replace(b"key: none", b"") == text.encode().replace(b"key: none", b"")


def test_planted_secrets_are_nowhere(make: Maker) -> None:
    run = run_of()
    told = replace(
        run.results[0],
        state="failed",
        actual=f"login with {SECRET} and {QUOTED}",
        values={"banner": KEY},
        expected=SECRET,
    )
    run = replace(run, results=(told, *run.results[1:]), commands={"server": (f"sshpass -p {SECRET} true",)})
    write_run_path = make(run, "first").parent / "validation" / "20261121T080000Z"
    (write_run_path / "logs" / "session.txt").write_text(f"$ login\n{SECRET}\n{QUOTED}\n{KEY}")
    (write_run_path / "facts" / "leaf-01.json").write_text(
        json.dumps({"show run": [0, f"{SECRET}\n{QUOTED}\n{KEY}", ""]})
    )
    folder = make(run, "dossier", SECRET, QUOTED, KEY)

    parts = [SECRET, QUOTED, json.dumps(QUOTED)[1:-1], "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"]
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        texts = {name: bundle.read(name) for name in bundle.namelist()}
    texts |= {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert [(name, part) for name, text in texts.items() for part in parts if part.encode() in text] == []
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert set(manifest["removed"]) == {"dossier.json", "evidence/logs/session.txt", "evidence/facts/leaf-01.json"}
    json.loads((folder / "evidence" / "facts" / "leaf-01.json").read_bytes())


def test_a_secret_in_what_was_validated_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, run_of())
    (tmp_path / "out").mkdir()
    source = Source(RunFolder(path), {"site.yaml": [f"motd: {SECRET}\n".encode()]}, scrubber([SECRET]))

    with pytest.raises(BadInputError, match=r"site\.yaml holds a secret"):
        fill(tmp_path / "out", source)


def test_what_was_changed_since_is_refused(tmp_path: Path) -> None:
    run = replace(run_of(), hashes={"site.yaml": "11" * 32, "waivers.yaml": "22" * 32})
    path = write_run(tmp_path, run)
    (tmp_path / "out").mkdir()
    inputs = {"site.yaml": [b"site: two\n"], "waivers.yaml": [b""], "plan.json": [b"{}"]}

    with pytest.raises(BadInputError, match=r"changed since the validation: site\.yaml, waivers\.yaml"):
        fill(tmp_path / "out", Source(RunFolder(path), inputs, scrubber(())))
