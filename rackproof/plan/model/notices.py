"""What a site file marks as assumed."""

from collections.abc import Iterator

from rackproof.plan.model.plan import Notice
from rackproof.site.models import SiteObject


def assumptions(subject: str, asked: SiteObject) -> Iterator[Notice]:
    """Yield what the site file marks as assumed, however deep."""
    if asked.assumed:
        yield Notice("assumed", subject, asked.assumed)
    for name in type(asked).model_fields:
        value = getattr(asked, name)
        rows = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, tuple)
            else [("", value)]
        )
        for key, row in rows:
            if isinstance(row, SiteObject):
                label = getattr(row, "name", None) or getattr(row, "group", None) or key
                yield from assumptions(".".join(str(part) for part in (subject, name, label) if part != ""), row)
