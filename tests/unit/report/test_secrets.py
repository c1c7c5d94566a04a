"""Secrets never reach a dossier: neither those that devices are reached with, nor what looks like one."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from rackproof.errors import BadInputError
from rackproof.report.build import Source, fill
from rackproof.report.finished_run import RunFolder
from rackproof.report.scrub import REMOVED, scrubber
from rackproof.report.scrub_json import without_secrets
from tests.unit.report.runs import SECRET, make_run, write_run

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
    run = make_run()
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


PIN: Final = "48151623"
ODD: Final = 'pä"ß\\wort\n2'
HIDING: Final = {
    "as a string": SECRET,
    "within a string": f"login with {SECRET}, then {ODD}.",
    "as a number": int(PIN),
    "as a number in a list": [1, [int(PIN), 2.5]],
    "as a key": {SECRET: 1, f"{ODD} of admin": {"deeper": ODD}},
    "by its key": {
        "password": 8675309,
        "secret": True,
        "api_key": None,
        "auth-token": "two words",
        "SECRET": ["wag", 9876],
    },
    "as JSON in a string": json.dumps({"password": "fjord-99", "pin": int(PIN), "odd": [ODD]}),
    "as JSON in JSON in a string": json.dumps({"said": json.dumps({"passphrase": "tundra 98", ODD: SECRET})}),
    "as half of JSON in a string": json.dumps({"odd": ODD, "password": 5551234})[:-1],
    "as a key's block": KEY,
}
NOT_TO_BE_SEEN: Final = (
    SECRET,
    PIN,
    ODD,
    "8675309",
    "two words",
    "9876",
    "fjord-99",
    "tundra",
    "5551234",
    "b3BlbnNzaC1",
)


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_without_its_secrets_is_json(*, escaped: bool, indent: int | None) -> None:
    text = json.dumps(HIDING, ensure_ascii=escaped, indent=indent)
    scrubbed, count = without_secrets(text.encode(), scrubber([SECRET, PIN, ODD, KEY]))
    found = json.loads(scrubbed)

    assert [part for part in NOT_TO_BE_SEEN if part in unescaped(found)] == []
    assert count == 21
    assert list(found) == list(HIDING)
    assert found["within a string"] == f"login with {REMOVED.decode()}, then {REMOVED.decode()}."
    assert found["as a number in a list"] == [1, [REMOVED.decode(), 2.5]]
    assert found["by its key"]["secret"] is True
    assert found["by its key"]["api_key"] is None
    assert json.loads(found["as JSON in a string"]) == dict.fromkeys(("password", "pin"), REMOVED.decode()) | {
        "odd": [REMOVED.decode()]
    }
    assert without_secrets(scrubbed, scrubber([SECRET, PIN, ODD, KEY])) == (scrubbed, 0)


def unescaped(found: object) -> str:
    """All strings and keys of a document, with those of JSON within its strings."""
    if isinstance(found, dict):
        return "\n".join(f"{key}\n{unescaped(value)}" for key, value in found.items())
    if isinstance(found, list):
        return "\n".join(map(unescaped, found))
    if isinstance(found, str) and found.startswith("{") and found.endswith("}"):
        return unescaped(json.loads(found))
    return str(found)


@pytest.mark.parametrize(
    "text",
    [
        '{"password": null, "secret":true,\t"token" : [],\n"n": 1e400}',
        '{"\\u0070assword": "" , "a": "\\u00e9\\/"}',
        '{"counter": 4815162342, "serial": "X48"}',
    ],
)
def test_json_without_secrets_stays_to_the_letter(text: str) -> None:
    assert without_secrets(text.encode(), scrubber([PIN])) == (text.encode(), 0)


def test_what_only_claims_to_be_json_is_text() -> None:
    text = f'{{"a": "{SECRET}"}}\n{{"password": 1234567}}'.encode()

    assert without_secrets(text, scrubber([SECRET])) == scrubber([SECRET])(text)


def test_every_letter_may_be_an_escape() -> None:
    text = '{"a": "' + "".join(f"\\u{ord(letter):04x}" for letter in SECRET) + '"}'

    assert without_secrets(text.encode(), scrubber([SECRET])) == (b'{"a": "' + REMOVED + b'"}', 1)


def test_every_json_of_a_bundle_is_json(make: Maker) -> None:
    told = replace(make_run().results[0], measured=float(PIN), message=json.dumps(HIDING), values={SECRET: ODD})
    run = replace(make_run(), results=(told, *make_run().results[1:]))
    evidence = make(run, "first").parent / "validation" / "20261121T080000Z"
    answers = {"nvidia-smi": [0, json.dumps(HIDING), ""], ODD: HIDING}
    (evidence / "facts" / "gpu-001.json").write_text(json.dumps(answers))
    (evidence / "logs" / "runs.json").write_text(json.dumps(HIDING, indent=1))
    folder = make(run, "dossier", SECRET, PIN, ODD, KEY)

    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        texts = {name.partition("/")[2]: bundle.read(name) for name in bundle.namelist() if name.endswith(".json")}
    parsed = {name: json.loads(text) for name, text in texts.items()}
    assert {"dossier.json", "manifest.json", "evidence/facts/gpu-001.json", "evidence/logs/runs.json"} <= set(parsed)
    assert parsed["dossier.json"]["run"]["results"][0]["measured"] == float(PIN)
    del parsed["dossier.json"]["run"]["results"][0]["measured"]
    seen = [(name, part) for name, found in parsed.items() for part in NOT_TO_BE_SEEN if part in unescaped(found)]
    assert seen == []


def test_a_secret_in_what_was_validated_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, make_run())
    (tmp_path / "out").mkdir()
    source = Source(RunFolder(path), {"site.yaml": [f"motd: {SECRET}\n".encode()]}, scrubber([SECRET]))

    with pytest.raises(BadInputError, match=r"site\.yaml holds a secret"):
        fill(tmp_path / "out", source)


def test_what_was_changed_since_is_refused(tmp_path: Path) -> None:
    run = replace(make_run(), hashes={"site.yaml": "11" * 32, "waivers.yaml": "22" * 32})
    path = write_run(tmp_path, run)
    (tmp_path / "out").mkdir()
    inputs = {"site.yaml": [b"site: two\n"], "waivers.yaml": [b""], "plan.json": [b"{}"]}

    with pytest.raises(BadInputError, match=r"changed since the validation: site\.yaml, waivers\.yaml"):
        fill(tmp_path / "out", Source(RunFolder(path), inputs, scrubber(())))
