"""Incompatible versions of a release, as sentences."""

from collections.abc import Collection, Iterator

from rackproof.releases.models import Release, Rule, VersionRange


def incompatibilities(release: Release, uses: Collection[str] = ()) -> tuple[str, ...]:
    """Return a sentence for each rule of ``release`` that does not hold; none when everything goes together.

    ``uses`` names the catalogue models of the site (servers, switches, NOS): rules may ask for a version because one
    of them is there.
    """
    return tuple(_broken(release, frozenset(uses)))


def _broken(release: Release, uses: frozenset[str]) -> Iterator[str]:
    for rule in release.rules:
        if _applies(rule.when, release, uses) and not _applies(rule.needs, release, uses):
            yield f"{rule.because}, but release {release.release} has {_what_is_there(rule, release)}"


def _applies(wanted: VersionRange, release: Release, uses: frozenset[str]) -> bool:
    component = release.components.get(wanted.component)
    if component is None:
        return wanted.component in uses and wanted.at_least is None and wanted.below is None
    version = _numbers(component.version)
    if wanted.at_least is not None and version < _numbers(wanted.at_least):
        return False
    return wanted.below is None or version < _numbers(wanted.below)


def _what_is_there(rule: Rule, release: Release) -> str:
    component = release.components.get(rule.needs.component)
    return f"no {rule.needs.component}" if component is None else f"{rule.needs.component} {component.version}"


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers that compare; trailing zeros do not count (22.04 equals 22.4.0)."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
