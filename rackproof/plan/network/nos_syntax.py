"""The release of a NOS that a site runs: how it writes its configuration, and what it does not have."""

from dataclasses import dataclass

from rackproof.hardware.nos_models import NosModel, version_numbers
from rackproof.releases.models import Release


@dataclass(frozen=True, slots=True)
class NosVersion:
    """The release of a NOS that a site runs."""

    nos: NosModel
    version: str | None
    """None: the version set of the site does not name it."""

    @property
    def dialect(self) -> str | None:
        """Name of the dialect it speaks; None: all its releases write alike, or the version is not known."""
        return nos_dialect(self.nos, self.version) if self.version is not None else None

    def lacks(self, feature: str) -> str:
        """Return why it has no such feature, as a clause; empty: it has it."""
        return self.nos.lacks(feature, self.version) if self.version is not None else ""


def nos_version(nos: NosModel, release: Release) -> NosVersion:
    """Return the release of a NOS in a version set."""
    component = release.components.get(nos.model)
    return NosVersion(nos, component.version if component else None)


def nos_dialect(nos: NosModel, version: str) -> str | None:
    """Return the name of the dialect that ``version`` of a NOS speaks.

    None where every release writes alike. A release older than the oldest dialect gets that one, one between two
    dialects the older of them: what does not go together is the business of the version set's rules.
    """
    if not nos.dialects:
        return None
    spoken = [row.name for row in nos.dialects if version_numbers(row.at_least) <= version_numbers(version)]
    return spoken[-1] if spoken else nos.dialects[0].name
