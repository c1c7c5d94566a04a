"""How the release of a NOS that a site runs writes its configuration."""

from rackproof.hardware.models import NosModel


def nos_dialect(nos: NosModel, version: str) -> str | None:
    """Return the name of the dialect that ``version`` of a NOS speaks.

    None where every release writes alike. A release older than the oldest dialect gets that one, one between two
    dialects the older of them: what does not go together is the business of the version set's rules.
    """
    if not nos.dialects:
        return None
    spoken = [row.name for row in nos.dialects if _numbers(row.at_least) <= _numbers(version)]
    return spoken[-1] if spoken else nos.dialects[0].name


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version such as 5.13.1 as numbers that compare."""
    return tuple(int(part) for part in version.split("."))
