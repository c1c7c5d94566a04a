"""Files and print-outs of NVUE: a list of header, set and unset as YAML, JSON, or the commands that say the same.

Form as in NVIDIA's exports (enterprise-ras 3.0.0, exported-configurations): keys that are numbers in quotes, ``on``,
``off`` and what only looks like a number bare, interfaces that have something in common under one key.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import yaml12

from lab.switches.nos.cumulus.names import compress_names, natural
from lab.switches.nos.cumulus.schema import Node, is_number
from lab.switches.nos.cumulus.tree import Leaf, Tree, Words, leaves, put

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?\Z")
_BARE: Final = re.compile(r"(?!null\Z)[A-Za-z0-9_./][A-Za-z0-9_./,+-]*(?::[A-Za-z0-9_./,-]+)*\Z")
_GROUPED: Final = "interface"
_LONGEST_KEY: Final = 128
"""Longer keys are no simple keys: they stand behind a question mark (YAML)."""


class DocumentError(Exception):
    """A text is no NVUE file; the text of this is what NVUE prints."""


def read_document(text: str) -> list[tuple[str, Tree]]:
    """Return the parts of a file: ``set`` or ``unset``, and what.

    Raises
    ------
    DocumentError
        It is none.
    """
    try:
        items: Any = yaml12.parse_yaml(text)
    except ValueError as error:
        raise DocumentError(f"Failed to parse file: {error}") from error
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise DocumentError("Failed to parse file: expected a list of set and unset")
    parts: list[tuple[str, Tree]] = []
    for item in items:
        for verb, content in item.items():
            if verb not in {"header", "set", "unset"}:
                raise DocumentError(f"Failed to parse file: '{verb}' was unexpected")
            if verb != "header":
                parts.append((verb, _tree(content)))
    return parts


def _tree(content: Any) -> Any:  # noqa: ANN401 YAML
    if isinstance(content, dict):
        return {_text(word): _tree(below) for word, below in content.items()}
    return {} if content is None else _text(content)


def _text(word: Any) -> str:  # noqa: ANN401 YAML
    return str(word).lower() if isinstance(word, bool) else str(word)


# --- Writing ------------------------------------------------------------------------------------------------------


def header(model: str, version: str) -> str:
    """Return the header of ``nv config show``."""
    rows = {"model": model, "nvue-api-version": "nvue_v1", "rev-id": "1.0", "version": version}
    return "- header:\n" + "".join(f"    {name}: {value}\n" for name, value in rows.items())


def show_yaml(root: Node, verb: str, ends: Iterable[Leaf]) -> str:
    """Return one part of a file as NVUE prints it; empty where there is nothing to say."""
    tree = _grouped(ends)
    if not tree:
        return ""
    return "\n".join([f"- {verb}:", *_lines(root, tree, (), "    ", "" if verb == "unset" else " {}")]) + "\n"


def show_commands(verb: str, ends: Iterable[Leaf]) -> str:
    """Return the commands that say the same."""
    lines = (
        " ".join(["nv", verb, *words, *([] if value is None else [_command_word(value)])])
        for words, value in _flat(_grouped(ends))
    )
    return "".join(f"{line}\n" for line in lines)


def show_json(root: Node, parts: Iterable[tuple[str, Tree]], head: dict[str, Any] | None = None) -> str:
    """Return what ``-o json`` prints."""
    items: list[dict[str, Any]] = [] if head is None else [{"header": head}]
    items.extend({verb: _typed(root, tree, ())} for verb, tree in parts if tree)
    return json.dumps(items, indent=2) + "\n"


def _typed(root: Node, tree: Tree, above: Words) -> Any:  # noqa: ANN401 JSON
    typed: dict[str, Any] = {}
    for word, below in tree.items():
        path = (*above, word)
        if isinstance(below, dict):
            typed[word] = _typed(root, below, path)
        else:
            typed[word] = int(below) if is_number(root, path, below) else below
    return typed


def _command_word(text: str) -> str:
    return text if re.fullmatch(r"[\w./:@,+*-]+", text) else "'" + text.replace("'", "'\"'\"'") + "'"


def _flat(tree: Tree) -> Iterator[Leaf]:
    return leaves({word: tree[word] for word in sorted(tree, key=natural)})


def _grouped(ends: Iterable[Leaf]) -> Tree:
    """Return a tree in which interfaces that share an end stand under one key for it."""
    tree: Tree = {}
    sharing: dict[tuple[Words, str | None], list[str]] = {}
    for words, value in ends:
        if words[0] == _GROUPED and len(words) > 2:
            sharing.setdefault((words[2:], value), []).append(words[1])
        else:
            put(tree, words, value)
    for (rest, value), names in sharing.items():
        put(tree, (_GROUPED, compress_names(names), *rest), value)
    return tree


def _lines(root: Node, tree: Tree, above: Words, pad: str, empty: str) -> Iterator[str]:
    for word in sorted(tree, key=natural):
        below, path = tree[word], (*above, word)
        key = f"'{word}'" if _NUMBER.match(word) else _written(word)
        start = f"{pad}{key}:" if len(key) < _LONGEST_KEY else f"{pad}? {key}\n{pad}:"
        if not isinstance(below, dict):
            yield f"{start} {below if is_number(root, path, below) else _quoted(below)}"
        elif below:
            yield start
            yield from _lines(root, below, path, f"{pad}  ", empty)
        else:
            yield f"{start}{empty}"


def _quoted(text: str) -> str:
    return f"'{text}'" if _NUMBER.match(text) else _written(text)


def _written(text: str) -> str:
    if _BARE.match(text):
        return text
    return json.dumps(text) if "\n" in text else "'" + text.replace("'", "''") + "'"
