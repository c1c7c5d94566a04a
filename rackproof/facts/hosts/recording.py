"""A host's recording: the JSON that ``gather_facts.py`` prints, as it came or as a file."""

from pathlib import Path
from typing import Final

import msgspec

from rackproof.errors import BadInputError
from rackproof.facts.fact import Answer, Answers

_DECODER: Final = msgspec.json.Decoder(dict[str, tuple[int | None, str, str]])


def answers_of(text: str | bytes) -> Answers:
    """Return the answers in a recording.

    Raises
    ------
    ValueError
        It is not what the script prints.
    """
    return {
        command: Answer(output, status, error) for command, (status, output, error) in _DECODER.decode(text).items()
    }


def recording_of(answers: Answers) -> bytes:
    """Return answers as a file: one command a line."""
    rows = {command: (answer.status, answer.output, answer.error) for command, answer in sorted(answers.items())}
    lines = (msgspec.json.encode(one).decode() + ":" + msgspec.json.encode(row).decode() for one, row in rows.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def load_recording(path: Path) -> Answers:
    """Read a recording.

    Raises
    ------
    BadInputError
        The file is not there, or is none.
    """
    try:
        return answers_of(path.read_bytes())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInputError(f"{path} is not the recording of a host: {error}") from error
