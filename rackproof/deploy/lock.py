"""One deployment of a site at a time on this machine."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from rackproof.deploy.errors import SiteBusyError
from rackproof.paths import build_folder

FOLDER = "deploy"
FILE = "lock"


@contextmanager
def site_lock(site: str) -> Iterator[None]:
    """Hold a site's lock; the operating system releases it when the process ends, also after a crash.

    Raises
    ------
    SiteBusyError
        Another process holds it.
    """
    folder = build_folder(site) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "another process"
            raise SiteBusyError(f"{site} is being deployed already ({holder})", "wait until it has ended") from error
        file.truncate(0)
        file.write(f"process {os.getpid()} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n")
        file.flush()
        yield
