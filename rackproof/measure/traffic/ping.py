"""Reachability between rail ports: one ping for each pair, from a stated source address."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

from rackproof.measure.remote.commands import command_result, run_commands
from rackproof.measure.remote.runner import JobResult, RemoteRunner
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.rail_ports import RailPort

ANSWER_S: Final = 1
"""Longest wait for the answer; a round trip over three switches takes microseconds."""
LIMIT_S: Final = 10.0
NO_ANSWER: Final = frozenset({1, 2})
"""Exit status of ping(8) without an answer (1), and without a route (2)."""


def probes(ends: Iterable[End]) -> tuple[Pair, ...]:
    """Return the pairs to ping: every port with all ports of the next host, so that every two rails are covered."""
    by_host: dict[str, list[End]] = {}
    for end in sorted(ends):
        by_host.setdefault(end.host, []).append(end)
    hosts = list(by_host)
    following = [*hosts[1:], *hosts[:1]] if len(hosts) > 1 else []
    found: list[Pair] = []
    for host, peer in zip(hosts, following, strict=False):
        found += [Pair(one, other) for one, other in product(by_host[host], by_host[peer])]
    return tuple(found)


async def ping_results(
    runner: RemoteRunner, ports: Mapping[End, RailPort], pairs: Sequence[Pair]
) -> dict[Pair, bool | str]:
    """Return whether the first port of each pair reaches the second, or why that is not known."""
    commands: dict[str, dict[str, list[str]]] = {}
    for number, pair in enumerate(pairs):
        commands.setdefault(pair.one.host, {})[str(number)] = _ping(ports, pair)
    results = await run_commands(runner, commands, LIMIT_S)
    return {pair: _answered(command_result(results[pair.one.host], str(number))) for number, pair in enumerate(pairs)}


def _ping(ports: Mapping[End, RailPort], pair: Pair) -> list[str]:
    own, peer = ports[pair.one].address, ports[pair.other].address
    return ["ping", "-n", "-c", "1", "-W", str(ANSWER_S), "-I", own, peer]


def _answered(result: JobResult | str) -> bool | str:
    if isinstance(result, str):
        return result
    if result.status == 0:
        return True
    if result.status in NO_ANSWER:
        return False
    return f"ping did not run: {(result.err.strip() or f'status {result.status}').splitlines()[-1]}"
