"""Single commands on many hosts at once, bounded, with nothing left behind."""

from collections.abc import Mapping, Sequence

from rackproof.deploy.live.stage import Outcome, Played, Scene, Theatre, Work

Asked = Mapping[str, Mapping[str, Sequence[str]]]
"""Host to the commands that it runs, by a key of one's own."""


async def ask(theatre: Theatre, asked: Asked, limit_s: float, *, look: bool = False) -> Mapping[str, Played]:
    """Run commands on hosts, all at once.

    Parameters
    ----------
    theatre
        Where they run.
    asked
        What each host runs.
    limit_s
        Until every command has ended, or is ended.
    look
        Whether hosts say which devices they have, too.
    """
    scenes = {
        host: Scene({}, {key: Work(list(argv)) for key, argv in commands.items()}, limit_s, look=look)
        for host, commands in asked.items()
    }
    async with theatre.stage(scenes) as play:
        await play.ready()
        return await play.perform()


def outcome_of(played: Played, key: str) -> Outcome | str:
    """Return what came of a command, or why that is not known."""
    if played.error:
        return played.error
    outcome = played.outcomes[key]
    if outcome.status is None:
        return "it did not end in time"
    return outcome
