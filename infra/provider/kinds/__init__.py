"""The kinds of resources: one module each, found by its file name, with the kind as ``KIND``."""

import pkgutil
from importlib import import_module

from infra.provider.common.kind import AnyKind


def discovered_kinds() -> dict[str, AnyKind]:
    """Return every kind of this folder by its type token."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    kinds: list[AnyKind] = [import_module(f"{__name__}.{name}").KIND for name in names]
    return {kind.token: kind for kind in kinds}
