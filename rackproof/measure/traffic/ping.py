"""Which rail ports reach which others, asked with one packet each way and from a stated address."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rackproof.measure.remote.commands import command_result, run_commands
from rackproof.measure.remote.runner import JobResult, RemoteRunner
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.rail_ports import RailPort

ANSWER_S: Final = 1
"""A round trip over three switches takes microseconds."""
LIMIT_S: Final = 10.0
NO_ANSWER: Final = frozenset({1, 2})
"""What ping(8) says where nothing came back (1), and where there is no way at all (2)."""


def probes(ends: Iterable[End]) -> tuple[Pair, ...]:
    """Return who asks whom: every port asks all ports of the next host, so that every two rails meet."""
    by_host: dict[str, list[End]] = {}
    for end in sorted(ends):
        by_host.setdefault(end.host, []).append(end)
    hosts = list(by_host)
    return tuple(
        Pair(one, other)
        for place, host in enumerate(hosts)
        for one in by_host[host]
        for other in by_host[hosts[(place + 1) % len(hosts)]]
        if len(hosts) > 1
    )


async def reached(runner: RemoteRunner, ports: Mapping[End, RailPort], pairs: Sequence[Pair]) -> dict[Pair, bool | str]:
    """Return whether the first of each pair reaches the second, or why that could not be told."""
    asked: dict[str, dict[str, list[str]]] = {}
    for number, pair in enumerate(pairs):
        asked.setdefault(pair.one.host, {})[str(number)] = _ping(ports, pair)
    played = await run_commands(runner, asked, LIMIT_S)
    return {pair: _answer(command_result(played[pair.one.host], str(number))) for number, pair in enumerate(pairs)}


def _ping(ports: Mapping[End, RailPort], pair: Pair) -> list[str]:
    own, far = ports[pair.one].address, ports[pair.other].address
    return ["ping", "-n", "-c", "1", "-W", str(ANSWER_S), "-I", own, far]


def _answer(outcome: JobResult | str) -> bool | str:
    if isinstance(outcome, str):
        return outcome
    if outcome.status == 0:
        return True
    if outcome.status in NO_ANSWER:
        return False
    return f"ping did not run: {(outcome.err.strip() or f'status {outcome.status}').splitlines()[-1]}"
