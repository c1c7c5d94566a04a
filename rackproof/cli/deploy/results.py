"""The results of a deployment: for a person, for a program, and as an exit status."""

from collections.abc import Sequence

from rackproof.cli.output import ExitStatus, Output
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.scheduler import StepResult
from rackproof.deploy.summary import write_summary
from rackproof.plural import counted


def show_results(site: str, results: tuple[StepResult, ...], output: Output) -> ExitStatus:
    """Write the summary of a deployment, print how every device ended, and return the exit status."""
    path = write_summary(site, results)
    for outcome in Outcome:
        those = [result for result in results if result.outcome is outcome]
        if those:
            output.line(f"{outcome}: {', '.join(result.step for result in those)}", "" if those[0].succeeded else "red")
    for result in results:
        if not result.succeeded and result.text:
            output.line(f"{result.step}: {result.text}")
            output.line(f"  {result.hint}" if result.hint else "", "dim")
        for note in result.applied.notes:
            output.note(f"{result.step}: {note}")
    output.line(f"{counted(sum(len(result.applied.commands) for result in results), 'command')} sent; summary: {path}")
    output.result(account=path, results=[result_record(result) for result in results])
    return results_status(results)


def result_record(result: StepResult) -> dict[str, object]:
    """Return how a device ended as a program reads it."""
    return {
        "device": result.step,
        "outcome": result.outcome,
        "message": result.text,
        "hint": result.hint,
        "commands": list(result.applied.commands),
        "pending": list(result.applied.pending),
        "notes": list(result.applied.notes),
    }


def results_status(results: Sequence[StepResult]) -> ExitStatus:
    """Return the exit status of a deployment: UNKNOWN where devices could not be read and nothing else went wrong."""
    bad = {result.outcome for result in results if not result.succeeded}
    if not bad:
        return ExitStatus.DONE
    unread = Outcome.UNKNOWN in bad and bad <= {Outcome.UNKNOWN, Outcome.UNTOUCHED}
    return ExitStatus.UNKNOWN if unread else ExitStatus.FAILED
