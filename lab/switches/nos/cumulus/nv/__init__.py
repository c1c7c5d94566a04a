"""``nv``: one module a group of its commands; ``VERBS`` says which it has."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial

from lab.switches.file_system import FileSystemError
from lab.switches.nos.cumulus.document import DocumentError
from lab.switches.nos.cumulus.nv.run import Run, SessionCutError
from lab.switches.nos.cumulus.revisions import UnknownRevisionError
from lab.switches.nos.cumulus.schema import RefusedPathError
from lab.switches.nos.cumulus.system import ApplyError, Cumulus
from lab.switches.shell.call import Call, Program

Verb = Callable[[Run], Awaitable[int]]


@cache
def _verbs() -> Mapping[str, Verb]:
    found: dict[str, Verb] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.update(getattr(module, "VERBS", {}))
    return found


async def _nv(system: Cumulus, call: Call) -> int:
    """Run one command of NVUE."""
    run = Run(call, system, list(call.arguments[1:]))
    verb = _verbs().get(run.words.pop(0)) if run.words else None
    if verb is None:
        return call.fail(f"Error: Invalid Command: {' '.join(call.arguments[1:])}")
    try:
        return await verb(run)
    except (RefusedPathError, DocumentError, UnknownRevisionError) as error:
        return call.fail(f"Error: {error}")
    except ApplyError as error:
        return call.fail(str(error))
    except FileSystemError as error:
        return call.fail(f"Error: [Errno 28] {error}")
    except SessionCutError:
        return 255


def programs(system: Cumulus) -> Mapping[str, Program]:
    """Return ``nv`` of a switch."""
    return {"nv": partial(_nv, system)}
