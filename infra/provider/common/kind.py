"""The interface of a resource kind: the types of its inputs, and the deploy step made from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from infra.provider.common.properties import JsonMap
from rackproof.deploy.events import Report
from rackproof.deploy.protocol import Change, Step

StepT = TypeVar("StepT", bound=Step[Any])


@dataclass(frozen=True, slots=True)
class Settings:
    """The provider's own configuration: the stack's ``rackproof:`` keys."""

    site: str
    """Name of the site in the inventory, or path of its site file."""
    access: Path | None = None
    """Path of access.yaml; None: that of the site's lab if one is up, else the inventory's."""
    allow_disruption: bool = False
    """Whether changes that reset sessions, ports or whole switches may be made."""
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Secrets of the stack by key, for access entries that refer to them; never stored, never printed."""


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One input that cannot be used."""

    path: tuple[str | int, ...]
    reason: str


class ResourceKind(Protocol[StepT]):
    """One resource type; a module of ``infra.provider.kinds`` has one as ``KIND``."""

    token: str
    """Pulumi's type token: ``rackproof:<module>:<Type>``."""
    summary: str
    """What the resource is, for the provider's schema."""
    identity: str
    """The input that names the device; it is also the resource's ID."""

    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the inputs as an object type, and the named types they use, in Pulumi's schema language."""
        ...

    def problems(self, inputs: JsonMap) -> Iterable[InputProblem]:
        """Yield every problem of the inputs, without contacting a device."""
        ...

    def claim(self, settings: Settings) -> None:
        """Lock the site until this process ends; raise SiteBusyError when another process has the lock."""
        ...

    def to_deploy(self, inputs: JsonMap, settings: Settings, report: Report) -> StepT:
        """Return the step that configures a device as the inputs say, and reports its progress."""
        ...

    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> StepT:
        """Return the step that reads a device, or returns it to its base configuration.

        Parameters
        ----------
        name
            Name of the device.
        inputs
            The inputs of the state; empty for an import, where only the name is known.
        settings
            The provider's configuration.
        """
        ...

    def found(self, inputs: JsonMap, step: StepT, state: Any) -> JsonMap:  # noqa: ANN401 each step reads its own
        """Return the inputs that describe a device as its step found it; ``inputs`` as for ``to_find``."""
        ...

    def changes(self, old: JsonMap, new: JsonMap) -> Sequence[Change]:
        """Return the changes between two sets of inputs, for a preview; contacts no device."""
        ...


AnyKind: TypeAlias = ResourceKind[Any]
