"""The shape of a release file: versions with their sources, and the rules between them."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from rackproof.types import ModelName

Version = Annotated[str, StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)*$")]
"""Numbers with dots between them; compared number by number."""


class ReleaseObject(BaseModel):
    """A part of a release file: closed, frozen, documented by the strings under its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Component(ReleaseObject):
    """One piece of software in one version."""

    version: Version
    source: str | None = None
    """Where the version was read."""
    assumed: str | None = None
    """Why this version was chosen although the source of the set does not state one."""

    @model_validator(mode="after")
    def _says_where_from(self) -> Self:
        """A version is read somewhere or assumed."""
        if (self.source is None) == (self.assumed is None):
            message = "give either source or assumed"
            raise ValueError(message)
        return self


class VersionRange(ReleaseObject):
    """A component, in any version or within limits."""

    component: ModelName
    """Name of a component, or of a catalogue model that the site uses (then without limits)."""
    at_least: Version | None = None
    below: Version | None = None


class Rule(ReleaseObject):
    """Where ``when`` applies, ``needs`` must hold."""

    when: VersionRange
    needs: VersionRange
    because: str
    """The sentence shown to the user when it does not hold; begins a sentence and has no full stop."""
    source: str | None = None
    assumed: str | None = None


class Release(ReleaseObject):
    """A version set."""

    release: ModelName
    """File name without suffix."""
    title: str
    """The system it describes."""
    components: Annotated[dict[ModelName, Component], Field(min_length=1)]
    rules: tuple[Rule, ...] = ()
