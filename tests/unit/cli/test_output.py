"""What is told to a person and to a program, and how commands end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from rackproof.cli.excerpt import LINE_WIDTH_MAX, printable, problem_text
from rackproof.cli.output import ExitStatus, Output, reporting
from rackproof.errors import BadInputError, Place, RackproofError, SiteError

if TYPE_CHECKING:
    from collections.abc import Callable


def ended(say: Callable[[Output], object], *, as_json: bool = False) -> int:
    try:
        with reporting(as_json=as_json) as output:
            say(output)
    except typer.Exit as end:
        return end.exit_code
    return 0


def fail(error: Exception) -> Callable[[Output], object]:
    def say(output: Output) -> None:
        output.line("before")
        output.result(before=1)
        raise error

    return say


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (BadInputError("not so", "but so"), ExitStatus.BAD_INPUT, "not so"),
        (RackproofError("went wrong"), ExitStatus.FAILED, "went wrong"),
        (PermissionError(13, "Permission denied", "build/x"), ExitStatus.FAILED, "build/x: Permission denied"),
        (OSError("odd"), ExitStatus.FAILED, "odd"),
    ],
)
def test_errors_become_messages_and_statuses(
    error: Exception, status: ExitStatus, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(fail(error)) == status
    said = capsys.readouterr()
    assert said.out == "before\n"
    assert said.err.startswith(f"error: {message}\n")

    assert ended(fail(error), as_json=True) == status
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert said.err == ""
    assert document["status"] == status
    assert document["before"] == 1
    assert document["error"]["message"] == message


def test_defects_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        ended(fail(ZeroDivisionError()))


def test_a_program_reads_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    def say(output: Output) -> None:
        output.line("text")
        output.note("note")
        output.table("title", ("a",), [(1,)])
        with output.progress("reading", total=1) as done:
            done()
        output.result(path=Path("x"), values=(1, 2))
        output.status = ExitStatus.FAILED

    assert ended(say, as_json=True) == ExitStatus.FAILED
    said = capsys.readouterr()
    assert said.err == ""
    assert json.loads(said.out) == {"status": 1, "path": "x", "values": [1, 2]}


def test_tables_are_not_folded_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(lambda output: output.table("Long", ("text", "number"), [("x" * 300, 1), ("", None)])) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any("x" * 300 + "        1" in line for line in lines)


def test_nothing_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    ended(lambda output: output.line("a\x1b[31mb\u202ec [bold]d[/]"))

    assert capsys.readouterr().out == "a\ufffd[31mb\ufffdc [bold]d[/]\n"


def test_no_colour_where_nobody_watches(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")

    ended(fail(BadInputError("x", "y")))

    assert "\x1b" not in capsys.readouterr().err


def excerpt(text: str, column: int) -> list[str]:
    place = Place(Path("site.yaml"), 7, column, text)
    return problem_text(SiteError(("a",), "wrong", "right", place)).plain.splitlines()


def test_the_caret_stands_under_the_place() -> None:
    assert excerpt("racks: [r1]", 9) == [
        "error: wrong",
        "   --> site.yaml:7:9",
        "  7 | racks: [r1]",
        "    |         ^",
        "  hint: right",
    ]


@pytest.mark.parametrize("text", ["a\tb: ^", "ä: ^", "\N{CJK UNIFIED IDEOGRAPH-4E00}: ^", "\x1b[1m: ^"])
def test_the_caret_survives_odd_characters(text: str) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 the measure of the terminal

    lines = excerpt(text, text.index("^") + 1)

    assert cell_len(lines[2][: lines[2].index("^")]) == lines[3].index("^")


@pytest.mark.parametrize("column", [1, 50, 150, 400])
def test_long_lines_are_cut_around_the_caret(column: int) -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(399)) + "^"

    shown, caret = excerpt(text, column)[2:4]

    assert len(shown) <= LINE_WIDTH_MAX + 12
    assert shown[caret.index("^")] == text[column - 1]


def test_printable_keeps_lines() -> None:
    assert printable("a\nb\rc\x00") == "a\nb\ufffdc\ufffd"


def test_problems_are_records(capsys: pytest.CaptureFixture[str]) -> None:
    place = Place(Path("site.yaml"), 1, 2, "x")
    errors = [SiteError(("racks", 0), "m", "h", place), SiteError((), "w", warning=True)]

    ended(lambda output: output.problems(errors), as_json=True)

    records: Any = json.loads(capsys.readouterr().out)["problems"]
    assert records == [
        {
            "severity": "error", "message": "m", "hint": "h", "path": ["racks", 0],
            "file": "site.yaml", "line": 1, "column": 2,
        },
        {"severity": "warning", "message": "w", "hint": "", "path": []},
    ]  # fmt: skip
