"""Licences of software on the bill of materials: what is counted where a source says it, a note where none does."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rackproof.releases.load import load_release
from rackproof.render.documents.table import NO_NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.hardware.models import LicenceModel
    from rackproof.render.documents.record import Record
    from rackproof.render.documents.table import Row


def licence_lines(record: Record) -> Iterator[Row]:
    """Yield a line for each licensed software that the site's release names and the site uses."""
    components = load_release(record.plan.release).components
    for licence in record.catalogue.licences():
        component = components.get(licence.model)
        if component and _used(record, licence):
            yield _line(record, licence, f"{licence.name} {component.version}")


def _used(record: Record, licence: LicenceModel) -> bool:
    """Return whether the site has what a licence is for."""
    return bool(record.plan.storage) if licence.serves == "storage" else bool(_accelerators(record, licence))


def _accelerators(record: Record, licence: LicenceModel) -> Counter[str]:
    """Return accelerator to the number of it in servers of ours."""
    found: Counter[str] = Counter()
    for server in record.plan.servers.values():
        model = record.catalogue.server(server.model)
        if not model.hosted and licence.gpu_vendor in {None, model.gpus.vendor}:
            found[model.gpus.name] += model.gpus.count
    return +found


def _line(record: Record, licence: LicenceModel, item: str) -> Row:
    """Return one line; without a quantity where no source says what is counted."""
    gpus = _accelerators(record, licence) if licence.per == "gpu" else Counter[str]()
    uses = ", ".join(f"{name}: {count}" for name, count in gpus.items())
    notes = [f"{name}: {licence.included_with[name]}" for name in gpus if name in licence.included_with]
    note = "; ".join([*notes, licence.note, *([] if licence.part_number else [NO_NUMBER])])
    assumed = "; ".join(f"{field}: {why}" for field, why in licence.assumed.items())
    return (
        *("licence", item, licence.model, licence.vendor, licence.part_number, None, gpus.total() or None),
        *(uses or None, note, assumed or None),
    )
