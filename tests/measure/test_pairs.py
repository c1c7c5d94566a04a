"""Schedules of pairs: whatever the site, no port has two partners at a time, and nobody is left out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rackproof.measure.traffic.pairs import (
    FULL_MESH,
    SAMPLED_ROUNDS,
    End,
    Pair,
    across_rails,
    all_at_once,
    along_rails,
    pair_seed,
    rule,
)

SEEDS = st.integers(0, 2**64 - 1)


def hosts(count: int) -> list[str]:
    return [f"gpu-{number:03d}" for number in range(1, count + 1)]


SITES = st.dictionaries(st.integers(0, 7), st.sets(st.sampled_from(hosts(40)), min_size=2), max_size=4)


def ends_of(pairs: tuple[Pair, ...]) -> list[End]:
    return [end for pair in pairs for end in pair]


@given(SITES, SEEDS)
def test_no_port_has_two_partners_at_a_time(rails: dict[int, set[str]], seed: int) -> None:
    for turn in (*along_rails(rails, seed), *across_rails(rails, seed)):
        assert max(Counter(ends_of(turn)).values()) == 1
        assert all(pair.one.host != pair.other.host for pair in turn)
        assert all(end.host in rails[end.rail] for end in ends_of(turn))


@given(st.integers(2, FULL_MESH), SEEDS)
def test_a_small_rail_is_a_full_mesh_and_no_pair_meets_twice(count: int, seed: int) -> None:
    turns = along_rails({3: hosts(count)}, seed)

    met = Counter(frozenset(end.host for end in pair) for turn in turns for pair in turn)
    assert met == Counter(frozenset(two) for two in combinations(hosts(count), 2))
    assert len(turns) == count - 1 + count % 2


@given(st.integers(FULL_MESH + 1, 200), SEEDS)
def test_on_a_large_rail_everybody_has_as_many_partners(count: int, seed: int) -> None:
    turns = along_rails({0: hosts(count)}, seed)

    partners = Counter(end.host for turn in turns for end in ends_of(turn))
    assert len(turns) == SAMPLED_ROUNDS
    assert min(partners[host] for host in hosts(count)) >= SAMPLED_ROUNDS - count % 2 * SAMPLED_ROUNDS // 2
    met = Counter(frozenset(end.host for end in pair) for turn in turns for pair in turn)
    assert max(met.values()) == 1


def test_with_an_even_number_nobody_rests() -> None:
    for turn in along_rails({0: hosts(64)}, 1):
        assert len(turn) == 32


@given(st.integers(2, FULL_MESH), st.integers(2, 8), SEEDS)
def test_across_rails_every_two_ports_of_a_small_site_meet(count: int, rails: int, seed: int) -> None:
    turns = across_rails(dict.fromkeys(range(rails), hosts(count)), seed)

    met = Counter(frozenset(pair) for turn in turns for pair in turn)
    everyone = [End(host, rail) for host in hosts(count) for rail in range(rails)]
    wanted = [two for two in combinations(everyone, 2) if two[0].host != two[1].host and two[0].rail != two[1].rail]
    assert met == Counter(frozenset(two) for two in wanted)


def test_one_rail_has_nothing_to_cross_to() -> None:
    assert across_rails({0: hosts(4)}, 0) == ()
    assert along_rails({}, 0) == ()


@given(SITES, SEEDS)
def test_the_same_plan_draws_the_same_pairs(rails: dict[int, set[str]], seed: int) -> None:
    turned_round = {rail: sorted(members, reverse=True) for rail, members in reversed(rails.items())}

    assert along_rails(turned_round, seed) == along_rails(rails, seed)
    assert across_rails(turned_round, seed) == across_rails(rails, seed)


def test_another_plan_draws_others() -> None:
    assert along_rails({0: hosts(50)}, pair_seed("one")) != along_rails({0: hosts(50)}, pair_seed("other"))


@given(st.lists(st.integers(1, 16), min_size=2, max_size=5), st.integers(1, 3), SEEDS)
def test_all_at_once_crosses_the_spines_wherever_it_can(sizes: list[int], rails: int, seed: int) -> None:
    names = iter(hosts(sum(sizes)))
    leaf_of = {next(names): f"leaf-{leaf}" for leaf, size in enumerate(sizes) for _ in range(size)}
    ends = {End(host, rail): leaf for host, leaf in leaf_of.items() for rail in range(rails)}

    pairs = all_at_once(ends, seed)

    assert max(Counter(ends_of(pairs)).values(), default=1) == 1
    assert len(pairs) == rails * (len(leaf_of) // 2)
    if max(sizes) <= len(leaf_of) // 2:
        assert all(ends[pair.one] != ends[pair.other] for pair in pairs)


def test_the_rule_is_said() -> None:
    assert "everybody with everybody" in rule(FULL_MESH)
    assert f"{SAMPLED_ROUNDS} rounds" in rule(FULL_MESH + 1)
