"""What a role keeps on a host, from the one list that Ansible uses too: ``roles/<role>/vars/managed.yml``.

Ansible's ``managed_files`` and ``live_settings`` tasks call this module on the controller, so a file that a bring-up
writes and a file that the comparison with the host expects are the same bytes. Nothing here imports Ansible.

The list, with a role named ``base``::

    base_managed:
      files:
        - path: /etc/sysctl.d/60-rackproof.conf   # may use `item` and variables
          template: sysctl.conf.j2                # in templates/; or `file: name`, taken as it is from files/
          mode: "0644"
          notify: [reload sysctl]                 # handlers, when the file changed
          validate: visudo -cf %s                 # optional: must succeed on the new file before it replaces the old
          os: [debian-12]                         # optional: only on these values of host_os
          each: base_things                       # optional: one file an item of this list
          when: item.name != "x"                  # optional: only where true
      owned:                                      # files that match and are not in the list are removed
        - {pattern: /etc/sysctl.d/60-rackproof-*.conf, notify: [reload sysctl]}
      live: live.json.j2                          # settings that a running host must have, a JSON list

Templates see the role's defaults, the host's inventory variables and ``vars/<host_os>.yml``, in rising precedence, and
never Ansible's facts: the same text must come out where no host was asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import yaml12

from rackproof.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

Variables = Mapping[str, Any]

MODE: Final = "0644"
OWNER: Final = "root"


@dataclass(frozen=True, slots=True)
class ManagedFile:
    """One file as a host must have it."""

    role: str
    path: str
    content: str
    mode: str = MODE
    """Octal, four digits."""
    owner: str = OWNER
    notify: tuple[str, ...] = ()
    """Handlers to run when it changed."""
    validate: str | None = None
    """A command with ``%s`` for the new file; it has to succeed before the old one is replaced."""


@dataclass(frozen=True, slots=True)
class OwnedPattern:
    """Paths that belong to a role: what matches and is not in its list was left by an earlier plan."""

    pattern: str
    notify: tuple[str, ...] = ()


def managed_files(role_folder: Path, variables: Variables) -> tuple[ManagedFile, ...]:
    """Return the files that a role keeps on the host that has these inventory variables.

    Raises
    ------
    BadInputError
        A template or an expression of the list cannot be rendered, for instance because a variable is missing.
    """
    role = Role(role_folder, variables)
    return tuple(chain.from_iterable(map(role.files, role.listed.get("files", ()))))


def owned_patterns(role_folder: Path, variables: Variables) -> tuple[OwnedPattern, ...]:
    """Return the patterns of paths that a role owns; see ``OwnedPattern``."""
    listed = Role(role_folder, variables).listed.get("owned", ())
    return tuple(OwnedPattern(entry["pattern"], tuple(entry.get("notify", ()))) for entry in listed)


def live_settings(role_folder: Path, variables: Variables) -> tuple[dict[str, Any], ...]:
    """Return the settings that the running host must have, each with its ``kind``.

    A setting with ``needs: <path>`` is only asked of hosts that have the path.

    Raises
    ------
    BadInputError
        The template cannot be rendered, or does not give a JSON list of objects with a kind.
    """
    role = Role(role_folder, variables)
    name = role.listed.get("live")
    if name is None:
        return ()
    text = role.render(name, role.variables)
    try:
        settings = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInputError(f"roles/{role.name}/templates/{name} does not give JSON: {error}", text[:500]) from error
    if not isinstance(settings, list) or not all(isinstance(each, dict) and "kind" in each for each in settings):
        raise BadInputError(f"roles/{role.name}/templates/{name} gives something else than a list of kinds")
    return tuple(settings)


def needed_variables(role_folder: Path) -> frozenset[str]:
    """Return the names of all variables that the list and the templates of a role mention."""
    from jinja2 import meta  # noqa: PLC0415 only Ansible's side asks

    environment = _environment(role_folder)
    sources = [*_expressions(_listed(role_folder)), *(_source(role_folder, name) for name in _templates(role_folder))]
    found = (meta.find_undeclared_variables(environment.parse(source)) for source in sources)
    return frozenset({"host_os"}.union(*found)) - {"item"}


class Role:
    """A role's list and templates, with the variables of one host."""

    def __init__(self, folder: Path, variables: Variables) -> None:
        self.folder = folder
        self.name = folder.name
        self.listed = _listed(folder)
        by_os = _yaml(folder / "vars" / f"{variables.get('host_os', 'none')}.yml")
        self.variables: Variables = {**_yaml(folder / "defaults" / "main.yml"), **variables, **by_os}

    def files(self, entry: Mapping[str, Any]) -> Iterator[ManagedFile]:
        """Yield the files of one entry of the list: one, none, or one an item."""
        if "os" in entry and self.variables.get("host_os") not in entry["os"]:
            return
        items = self.evaluate(entry["each"], self.variables) if "each" in entry else [None]
        for item in items:
            seen = {**self.variables, "item": item}
            if "when" not in entry or self.evaluate(entry["when"], seen):
                yield self.file(entry, seen)

    def file(self, entry: Mapping[str, Any], seen: Variables) -> ManagedFile:
        """Return one file with its content."""
        return ManagedFile(
            role=self.name,
            path=self.text(entry["path"], seen),
            content=self.content(entry, seen),
            mode=entry.get("mode", MODE),
            owner=entry.get("owner", OWNER),
            notify=tuple(entry.get("notify", ())),
            validate=entry.get("validate"),
        )

    def content(self, entry: Mapping[str, Any], seen: Variables) -> str:
        """Return the text of a file: rendered, or as it is in the role."""
        if "file" in entry:
            return (self.folder / "files" / str(entry["file"])).read_text(encoding="utf-8")
        return self.render(entry["template"], seen)

    def render(self, template: str, seen: Variables) -> str:
        """Return what a template of the role makes of the variables."""
        with _explained(f"roles/{self.name}/templates/{template}"):
            return str(_environment(self.folder).get_template(template).render(seen))

    def text(self, source: str, seen: Variables) -> str:
        """Return a text of the list with its variables filled in."""
        with _explained(f"roles/{self.name}/vars/managed.yml: {source}"):
            return str(_environment(self.folder).from_string(source).render(seen))

    def evaluate(self, expression: str, seen: Variables) -> Any:  # noqa: ANN401 an expression may give anything
        """Return the value of a Jinja expression of the list."""
        with _explained(f"roles/{self.name}/vars/managed.yml: {expression}"):
            return _environment(self.folder).compile_expression(expression, undefined_to_none=False)(**seen)


class _explained:  # noqa: N801 used as a statement
    """Turns an error of the template engine into one that names the file."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from jinja2 import TemplateError  # noqa: PLC0415 imported long before, by the environment

        if isinstance(error, TemplateError):
            raise BadInputError(f"{self._where}: {error}", "check the host's variables") from error


@cache
def _environment(folder: Path) -> Environment:
    """Return the environment of a role: an undefined name is an error, a tag alone on its line leaves no trace."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 30 ms most verbs do not need

    environment = Environment(
        loader=FileSystemLoader(folder / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        autoescape=False,  # noqa: S701 the text goes to a host's files, never to a browser
    )
    environment.filters["to_json"] = _to_json
    return environment


def _to_json(value: object) -> str:
    """Return a value as JSON, with its keys in order: the filter's bytes never depend on where it runs."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


@cache
def _listed(folder: Path) -> Mapping[str, Any]:
    """Return a role's list; empty where it keeps nothing."""
    return dict(_yaml(folder / "vars" / "managed.yml").get(f"{folder.name}_managed") or {})


@cache
def _yaml(file: Path) -> Mapping[str, Any]:
    """Return a YAML file of a role; empty where there is none."""
    document: object = yaml12.read_yaml(file) if file.is_file() else None
    return {str(name): value for name, value in document.items()} if isinstance(document, Mapping) else {}


def _expressions(listed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a list that mention variables, as templates."""
    for entry in listed.get("files", ()):
        yield entry["path"]
        yield from ("{{ " + entry[key] + " }}" for key in ("each", "when") if key in entry)


def _templates(folder: Path) -> list[str]:
    """Return the names of a role's templates."""
    return sorted(path.relative_to(folder / "templates").as_posix() for path in (folder / "templates").rglob("*.j2"))


def _source(folder: Path, template: str) -> str:
    """Return the text of a template."""
    return (folder / "templates" / template).read_text(encoding="utf-8")
