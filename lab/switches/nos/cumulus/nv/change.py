"""``nv set`` and ``nv unset``."""

from lab.switches.nos.cumulus.nv.run import Run
from lab.switches.nos.cumulus.schema import expanded
from lab.switches.nos.cumulus.tree import drop, put


async def set_(run: Run) -> int:
    """Set a path in the pending revision."""
    ends = expanded(run.system.root, run.words)
    run.count("set", ends)
    revision, new = run.system.revisions.attached(run.user)
    for path, found in ends:
        put(revision.tree, path, found)
    run.created(new=new, number=revision.number)
    return 0


async def unset(run: Run) -> int:
    """Take a path out of the pending revision."""
    ends = expanded(run.system.root, run.words, remove=True)
    run.count("unset", ends)
    revision, new = run.system.revisions.attached(run.user)
    for path, _ in ends:
        drop(revision.tree, path)
    run.created(new=new, number=revision.number)
    return 0


VERBS = {"set": set_, "unset": unset}
