"""A package that cannot be installed."""

from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str, package: str) -> "Undo":
    """Remove a package from a host's apt source; the index still lists it."""
    lacking = lab.host(host)
    if not package.replace("-", "").replace(".", "").replace("+", "").isalnum():
        raise LabError(f"{package!r} is not the name of a package")
    hidden = "/srv/lab-packages-missing"
    await lacking.run(f"mkdir -p {hidden}; mv /srv/lab-packages/{package}_*.deb {hidden}/")

    async def undo() -> None:
        await lacking.run(f"mv {hidden}/{package}_*.deb /srv/lab-packages/")

    return undo
