"""What a kind of resource is: how its inputs look, and how to make the deploy step behind it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from infra.provider.properties import JsonMap
from rackproof.deploy.step import Change, Step


@dataclass(frozen=True, slots=True)
class Settings:
    """The provider's own configuration: the stack's ``rackproof:`` keys."""

    site: str
    """Name of the site, as its folder in the inventory has it."""
    allow_disruption: bool = False
    """Whether changes that reset sessions, ports or whole switches may be made."""
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Secrets of the stack by key, for access entries that refer to them; never stored, never printed."""


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One input that cannot be used."""

    path: tuple[str | int, ...]
    reason: str


class ResourceKind(Protocol):
    """One resource type; a module of ``infra.provider.kinds`` has one as ``KIND``."""

    token: str
    """Pulumi's type token: ``rackproof:<module>:<Type>``."""
    summary: str
    """What the resource is, for the provider's schema."""
    identity: str
    """The input that names the device; it is also the resource's ID."""

    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the properties of the inputs and the named types they use, in Pulumi's schema language."""
        ...

    def problems(self, inputs: JsonMap) -> Iterable[InputProblem]:
        """Yield everything wrong with the inputs, without touching a device."""
        ...

    def step(self, inputs: JsonMap, settings: Settings) -> Step[Any]:
        """Return the deploy step that makes a device what the inputs say."""
        ...

    def known_device(self, name: str, settings: Settings) -> Step[Any]:
        """Return the step for a device of which only the name is known: to import it, or to reset it."""
        ...

    def inputs(self, name: str, state: Any, settings: Settings) -> JsonMap:  # noqa: ANN401 each kind reads its own
        """Return the inputs that would make a device what it was found to be."""
        ...

    def changes(self, old: JsonMap, new: JsonMap) -> Sequence[Change]:
        """Return what would change between two sets of inputs, for a preview's account; pure."""
        ...
