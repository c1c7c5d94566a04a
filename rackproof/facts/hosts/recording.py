"""A host's recording: the JSON that ``gather_facts.py`` prints, as it came or as a file."""

from typing import Final

import msgspec

from rackproof.facts.fact import Answer, Answers

_DECODER: Final = msgspec.json.Decoder(dict[str, tuple[int | None, str, str]])


def decode_answers(text: str | bytes) -> Answers:
    """Return the answers in a recording.

    Raises
    ------
    ValueError
        It is no output of the script.
    """
    return {
        command: Answer(output, status, error) for command, (status, output, error) in _DECODER.decode(text).items()
    }


def encode_answers(answers: Answers) -> bytes:
    """Return answers as a file: one command a line."""
    rows = {command: (answer.status, answer.output, answer.error) for command, answer in sorted(answers.items())}
    lines = (msgspec.json.encode(one).decode() + ":" + msgspec.json.encode(row).decode() for one, row in rows.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
