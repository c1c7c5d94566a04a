"""Names: each means one thing, and what is derived from it is a name too."""

from collections.abc import Iterable, Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import floor, server_names
from rackproof.site.document import KEY
from rackproof.site.models import Site

PLAN_NEEDS: Final = True

NAME_LENGTH_MAX: Final = 63
"""Characters of a host name (RFC 1123)."""

PORT_WORDS: Final = ("rail", "lom")
"""What server ports are called whatever the fabrics are: a fabric of that name would name its ports the same."""


def rack_names_are_unique(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No two racks have one name, and a block of racks no name of another."""
    del catalogue
    entries = ((("racks", number, "name"), rack.name) for number, rack in enumerate(site.racks))
    blocks = ((("racks", rack.number, "name"), rack.name) for rack in floor(site) if rack.asked.count is not None)
    yield from _repeated((*entries, *blocks), "rack")


def group_names_are_unique(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No two groups of servers have one name."""
    del catalogue
    rows = ((("servers", number, "group"), group.group) for number, group in enumerate(site.servers))
    yield from _repeated(rows, "group")


def racks_of_a_group_are_named_once(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A group fills each of its racks once."""
    del catalogue
    for number, group in enumerate(site.servers):
        rows = ((("servers", number, "racks", place), rack) for place, rack in enumerate(group.racks))
        yield from _repeated(rows, "rack")


def derived_names_are_short(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A device's name, made from its group, fabric or rack, has at most 63 characters."""
    del catalogue
    last = {rack.number: rack for rack in floor(site)}
    rows: list[tuple[ValuePath, str, str]] = [
        *((("servers", n, "group"), group.group, server_names(group)[-1]) for n, group in enumerate(site.servers)),
        *(
            (("storage", n, "name"), storage.name, f"{storage.backend}-leaf-01")
            for n, storage in enumerate(site.storage)
        ),
        *((("fabrics", name, KEY), name, f"{name}-spine-01") for name in site.fabrics),
        *((("racks", n, "name"), rack.name, f"{rack.name}-pdu-{rack.asked.pdus.count}") for n, rack in last.items()),
    ]
    for path, name, derived in rows:
        if (over := len(derived) - NAME_LENGTH_MAX) > 0:
            hint = f"shorten {name} by {over}"
            yield SiteError(
                path,
                f"the derived name {derived} has {len(derived)} characters, and {NAME_LENGTH_MAX} are allowed",
                hint,
            )


def fabric_names_are_no_port_words(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric is not called as server ports are called anyway: rail, lom."""
    del catalogue
    for name in site.fabrics:
        if name in PORT_WORDS:
            message = (
                f"a fabric called {name} would name its server ports {name}0, {name}1, ..., as other ports are named"
            )
            yield SiteError(("fabrics", name, KEY), message, "choose another name")


def retired_servers_are_of_the_group(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A retired name is one that the group has, named once."""
    del catalogue
    for number, group in enumerate(site.servers):
        known = server_names(group)
        path: ValuePath = ("servers", number, "retired")
        for place, name in enumerate(group.retired):
            if name not in known:
                message = f"{name} is not a server of the group {group.group}"
                yield SiteError((*path, place), message, f"its servers are {known[0]} to {known[-1]}")
        yield from _repeated((((*path, place), name) for place, name in enumerate(group.retired)), "server")


def groups_grow(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A group grows to at least what it has."""
    del catalogue
    for number, group in enumerate(site.servers):
        if group.grows_to is not None and group.grows_to < group.count:
            message = f"grows_to is {group.grows_to}, and the group has {group.count} servers already"
            yield SiteError(("servers", number, "grows_to"), message, "leave it out, or choose a number above count")


def _repeated(rows: Iterable[tuple[ValuePath, str]], what: str) -> Iterator[SiteError]:
    """Yield an error for every name that stood before."""
    first: dict[str, ValuePath] = {}
    for path, name in rows:
        if name in first:
            yield SiteError(path, f"the {what} {name} is named twice", f"it is also {_where(first[name])}")
        first.setdefault(name, path)


def _where(path: ValuePath) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")
