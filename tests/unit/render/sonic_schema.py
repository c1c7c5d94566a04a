"""Checks a config_db.json against SONiC's YANG models.

The models describe a tree (module, table, list), config_db.json is flat (table, key, field): keys are taken apart by
the names of the lists' keys, as the models state them, and everything is written as XML, where values are text as they
are in config_db.json. Nothing is dropped on the way: what a model does not know is an error, and a table that no model
knows is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

import libyang
from libyang.schema import SContainer, SLeaf, SList
from libyang.util import LibyangError, c2str

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Fields: TypeAlias = "Mapping[str, str | list[str]]"
Database: TypeAlias = "Mapping[str, Mapping[str, Fields]]"

SEPARATOR: Final = "|"


@dataclass(frozen=True)
class Verdict:
    """What the models say: why they reject the database, and which tables none of them describes."""

    errors: tuple[str, ...]
    without_model: tuple[str, ...]


@dataclass(frozen=True)
class TableModel:
    """Where a table stands in the models."""

    module: str
    namespace: str
    top: str
    node: SContainer


class SonicSchema:
    """All of SONiC's YANG models."""

    def __init__(self, folder: Path) -> None:
        self._context = libyang.Context(str(folder))
        for file in sorted(folder.glob("*.yang")):
            self._context.load_module(file.stem)
        self.modules: tuple[str, ...] = tuple(file.stem for file in sorted(folder.glob("*.yang")))
        self._tables = {table.node.name(): table for name in self.modules for table in self._module_tables(name)}

    def _module_tables(self, module_name: str) -> Iterator[TableModel]:
        """Yield the tables of a module: the containers in its top container."""
        module = self._context.get_module(module_name)
        for top in module.children():
            if not isinstance(top, SContainer):
                continue
            for table in top.children():
                if isinstance(table, SContainer):
                    yield TableModel(module_name, str(c2str(module.cdata.ns)), top.name(), table)

    def check(self, database: Database) -> Verdict:
        """Return what the models say of a database."""
        known = {name: rows for name, rows in database.items() if name in self._tables}
        errors: list[str] = []
        try:
            self._parse(self._xml(known))
        except LibyangError as error:
            errors.append(str(error))
        except UnknownKeyError as error:
            errors.append(str(error))
        return Verdict(tuple(errors), tuple(sorted(set(database) - set(known))))

    def _parse(self, text: str) -> None:
        """Raise what the models find wrong."""
        tree = self._context.parse_data_mem(text, "xml", no_state=True, strict=True)
        if tree is not None:
            tree.free()

    def _xml(self, database: Database) -> str:
        """Return the database as instance data, one top element a module."""
        tops: dict[str, Element] = {}
        for name, rows in database.items():
            table = self._tables[name]
            if table.top not in tops:
                tops[table.top] = Element(table.top, xmlns=table.namespace)
            element = SubElement(tops[table.top], name)
            for key, fields in rows.items():
                _write_row(table.node, element, key, fields)
        return "".join(tostring(top, encoding="unicode") for top in tops.values())


class UnknownKeyError(Exception):
    """A key that no list of its table can take."""


def _write_row(table: SContainer, element: Element, key: str, fields: Fields) -> None:
    """Append one key of a table: an entry of the list with that many keys, or a container of that name."""
    parts = key.split(SEPARATOR)
    named = [node for node in table.children() if isinstance(node, SContainer) and node.name() == key]
    lists = [node for node in table.children() if isinstance(node, SList) and len(list(node.keys())) == len(parts)]
    if named:
        _write_fields(SubElement(element, key), fields)
        return
    if not lists:
        raise UnknownKeyError(f"{table.name()}: no list takes the key {key!r}")
    entry = SubElement(element, lists[0].name())
    for leaf, part in zip(lists[0].keys(), parts, strict=True):
        SubElement(entry, leaf.name()).text = part
    inner = [node for node in lists[0].children() if isinstance(node, SList)]
    if inner:
        _write_map(inner[0], entry, fields)
    else:
        _write_fields(entry, fields)


def _write_fields(element: Element, fields: Fields) -> None:
    """Append the fields of a key; a list of values is a leaf-list."""
    for name, value in fields.items():
        for text in value if isinstance(value, list) else [value]:
            SubElement(element, name).text = text


def _write_map(inner: SList, entry: Element, fields: Fields) -> None:
    """Append a map, such as code point to class: field names are the inner list's keys, values its other leaf."""
    [key] = [leaf.name() for leaf in inner.keys()]  # noqa: SIM118 a schema list is no mapping
    [value] = [leaf.name() for leaf in inner.children() if isinstance(leaf, SLeaf) and leaf.name() != key]
    for source, target in fields.items():
        row = SubElement(entry, inner.name())
        SubElement(row, key).text = source
        SubElement(row, value).text = str(target)
