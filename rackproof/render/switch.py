"""A switch's intent to the text its NOS takes, and that text back to the intent."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from rackproof.errors import BadInputError
from rackproof.hardware.load import Catalogue
from rackproof.render.parsed import ParsedConfiguration

if TYPE_CHECKING:
    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.plan.model.plan import SwitchIntent
    from rackproof.render.config_tree import ConfigTree


class NosRenderer(Protocol):
    """What the module of a NOS offers."""

    SUFFIX: str
    """Of its configuration files, with the dot."""

    def render(self, nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> str: ...

    def parse(self, nos: NosModel, model: SwitchModel, text: str) -> ParsedConfiguration: ...

    def owned_tree(self, text: str) -> ConfigTree: ...

    def left_alone(self, text: str) -> tuple[str, ...]: ...


__all__ = ["ParsedConfiguration", "configuration_suffix", "left_alone", "owned_tree", "parse_switch", "render_switch"]


@cache
def _nos_model(nos_name: str) -> NosModel:
    """Return the catalogue entry; it is read once."""
    return Catalogue().nos(nos_name)


@cache
def _renderer(nos_name: str) -> NosRenderer:
    """Return the module that renders for a NOS, found by its name."""
    module = f"rackproof.render.nos.{nos_name.replace('-', '_')}"
    try:
        return cast("NosRenderer", importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BadInputError(
            f"switches with {nos_name} can be planned, not configured", f"no renderer exists for it: no {module}"
        ) from error


def configuration_suffix(nos_name: str) -> str:
    """Return the suffix of a NOS's configuration files: ``.cfg`` or ``.json``."""
    return _renderer(nos_name).SUFFIX


def render_switch(nos_name: str, model: SwitchModel, intent: SwitchIntent) -> str:
    """Return the whole configuration of a switch, without users; the same intent gives the same bytes.

    Raises
    ------
    BadInputError
        Nothing renders for this NOS.
    """
    return _renderer(nos_name).render(_nos_model(nos_name), model, intent)


def parse_switch(nos_name: str, model: SwitchModel, text: str) -> ParsedConfiguration:
    """Return what a configuration text means: the inverse of ``render_switch`` for what that can say.

    The lines that are left alone are passed over; defaults that the NOS prints by itself are neither unknown nor
    missing.

    Raises
    ------
    BadInputError
        Nothing renders for this NOS.
    """
    return _renderer(nos_name).parse(_nos_model(nos_name), model, text)


def owned_tree(nos_name: str, text: str) -> ConfigTree:
    """Return the part of a configuration text that a rendered file answers for, in the words the NOS takes as input.

    What it leaves out: the lines that are left alone, and the defaults that the NOS prints by itself. A device is as
    intended when ``owned_tree(nos_name, running) == owned_tree(nos_name, rendered)``, in whatever order it prints.
    """
    return _renderer(nos_name).owned_tree(text)


def left_alone(nos_name: str, text: str) -> tuple[str, ...]:
    """Return the topics (``AAA``, ``SNMP``) of the lines that Rackproof leaves alone, beyond those every switch has."""
    return _renderer(nos_name).left_alone(text)
