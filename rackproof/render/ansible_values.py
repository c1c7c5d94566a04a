"""Values of Ansible inventories: which texts are template expressions of ours, and which are data of the user.

Ansible evaluates every text of an inventory as a Jinja2 template, on the machine that deploys. Data is therefore marked
``!unsafe``, in JSON ``__ansible_unsafe``, as soon as it could begin an expression (Ansible, playbook guide, "Unsafe or
raw strings"). A text is data unless the code that makes it says otherwise with ``Expression``.
"""

from collections.abc import Callable, Mapping
from typing import Final

from rackproof.errors import BadInputError

OPENING: Final = "{"
"""The first sign of each Jinja2 delimiter: ``{{``, ``{%`` and ``{#``."""


class Expression(str):
    """A template expression that Rackproof wrote; texts of the user are in it as ``literal`` returns them."""

    __slots__ = ()


class Unsafe(str):
    """A text that Ansible must take as it is; ``yaml_text`` writes its tag."""

    __slots__ = ()


def json_unsafe(text: str) -> dict[str, str]:
    """Return a text that Ansible must take as it is, as its JSON inventories mark one."""
    return {"__ansible_unsafe": text}


def with_data_marked(value: object, mark: Callable[[str], object] = Unsafe) -> object:
    """Return a value in which every text that could begin an expression, and is not an ``Expression``, is marked."""
    if isinstance(value, str):
        return mark(value) if OPENING in value and not isinstance(value, Expression) else value
    if isinstance(value, Mapping):
        return {key: with_data_marked(below, mark) for key, below in value.items()}
    return [with_data_marked(below, mark) for below in value] if isinstance(value, list | tuple) else value


def literal(text: str) -> str:
    """Return a text as a string constant of one of Ansible's expressions; it has no escapes for quotes.

    Raises
    ------
    BadInputError
        The text holds a backslash, which such a constant cannot hold everywhere.
    """
    if "\\" in text:
        raise BadInputError(f"{text} holds a backslash, which Ansible's expressions cannot hold", "rename the folder")
    return ' ~ "\'" ~ '.join(f"'{part}'" for part in text.split("'"))
