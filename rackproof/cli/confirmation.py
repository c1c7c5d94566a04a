"""Questions that a person answers before something is changed."""

import sys

import typer

from rackproof.cli.output import Output
from rackproof.errors import BadInputError


def confirm_or_abort(output: Output, question: str, purpose: str) -> None:
    """Ask whether to go on.

    Parameters
    ----------
    output
        Where a person would be asked.
    question
        The question, answered with yes or no.
    purpose
        What `--yes` permits in advance, such as "to change devices".

    Raises
    ------
    BadInputError
        The output is for a program, or standard input is no terminal.
    typer.Abort
        The answer is no.
    """
    if output.as_json or not sys.stdin.isatty():
        raise BadInputError("this needs a confirmation, and there is no terminal to ask", f"give --yes {purpose}")
    typer.confirm(question, abort=True)
