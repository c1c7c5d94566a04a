"""Compares, validates and atomically replaces the files of a role, and removes files of earlier plans."""

from __future__ import annotations

import os
import pwd
import shlex
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: managed_files
short_description: All files that a role manages on a host
description:
  - Called by the action plugin of the same name, which renders the role's C(vars/managed.yml).
  - Every new file is written beside the old one and validated before the first file is replaced, so that an error
    leaves the host unchanged.
options:
  files:
    description: Files with path, content, mode, owner, handlers to notify and a command that validates the new file.
    type: list
    elements: dict
    required: true
  owned:
    description: Patterns of paths that belong to the role; matching files that are not in O(files) are removed.
    type: list
    elements: dict
    default: []
  root:
    description: Folder to use as C(/), such as the mount point of an image.
    type: path
    default: /
author: Rackproof (@rackproof)
"""

RETURN = r"""
notify:
  description: Handlers to run.
  type: list
  returned: always
paths:
  description: Files that changed or were removed.
  type: list
  returned: always
"""

EXAMPLES = r"""
- name: Keep the role's files
  managed_files:
"""


class Wanted:
    """One file, and its path below the root."""

    def __init__(self, entry: dict[str, Any], root: Path) -> None:
        self.path: str = entry["path"]
        self.place = root / entry["path"].lstrip("/")
        self.content: str = entry["content"]
        self.mode = int(entry["mode"], 8)
        self.owner: str = entry["owner"]
        self.notify: list[str] = entry["notify"]
        self.validate: str | None = entry["validate"]
        self.temporary: Path | None = None

    def ids(self) -> tuple[int, int]:
        """Return user and group id of the owner; a user other than root can write only its own files."""
        if os.geteuid():
            return os.geteuid(), os.getegid()
        owner = pwd.getpwnam(self.owner)
        return owner.pw_uid, owner.pw_gid

    def differs(self) -> bool:
        """Whether content, mode or owner differ."""
        return read_text_file(self.place) != self.content or file_attributes(self.place) != (self.mode, *self.ids())

    def write(self) -> Path:
        """Write the new file beside the old one, so that the rename is atomic."""
        self.place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.place.parent, prefix=".rackproof-", suffix=self.place.suffix)
        self.temporary = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(self.content)
            file.flush()
            os.fchmod(file.fileno(), self.mode)
            os.fchown(file.fileno(), *self.ids())
            os.fsync(file.fileno())
        return self.temporary

    def problem(self) -> str:
        """Return the error of the validating command, or an empty text."""
        if not self.validate:
            return ""
        command = [part.replace("%s", str(self.temporary)) for part in shlex.split(self.validate)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 from the role
        said = (finished.stderr or finished.stdout).strip()
        return f"{self.path}: {said or shlex.join(command)}" if finished.returncode else ""


def read_text_file(path: Path) -> str | None:
    """Return the text of a file; None if it does not exist or is not text."""
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, IsADirectoryError):
        return None


def file_attributes(path: Path) -> tuple[int, int, int] | None:
    """Return mode, user id and group id of a file; None if it does not exist or is a link."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return None if stat.S_ISLNK(found.st_mode) else (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)


def difference(path: str, place: Path, after: str) -> dict[str, str]:
    """Return one entry of Ansible's diff."""
    found = file_attributes(place)
    head = f"{path} ({found[0]:04o})" if found else path
    return {"before_header": head, "after_header": path, "before": read_text_file(place) or "", "after": after}


def left_over(owned: list[dict[str, Any]], files: list[Wanted], root: Path) -> dict[Path, list[str]]:
    """Return the paths that match an owned pattern and are not in the list of files, with the handlers to notify."""
    listed = {file.place for file in files}
    return {
        place: entry["notify"]
        for entry in owned
        for place in sorted(root.glob(entry["pattern"].lstrip("/")))
        if place not in listed
    }


def replace(changed: list[Wanted]) -> str:
    """Write and validate all new files, then replace the old ones; return an error if nothing was replaced."""
    try:
        written = [(file.write(), file.place) for file in changed]
        problems = [problem for file in changed if (problem := file.problem())]
        if problems:
            return "not written, the new file does not parse: " + "; ".join(problems)
        for temporary, place in written:
            temporary.replace(place)
    except OSError as error:
        return f"not written: {error}"
    finally:
        for file in changed:
            if file.temporary:
                file.temporary.unlink(missing_ok=True)
    return ""


def main() -> None:
    """Write the files that differ and report the changes."""
    module = AnsibleModule(
        argument_spec={
            "files": {"type": "list", "elements": "dict", "required": True},
            "owned": {"type": "list", "elements": "dict", "default": []},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    root = Path(module.params["root"])
    files = [Wanted(entry, root) for entry in module.params["files"]]
    changed = [file for file in files if file.differs()]
    removed = left_over(module.params["owned"], files, root)
    diff = [difference(file.path, file.place, file.content) for file in changed]
    diff += [difference(str(place), place, "") for place in removed]
    if not module.check_mode:
        if problem := replace(changed):
            module.fail_json(msg=problem, changed=False)
        for place in removed:
            place.unlink()
    notified = [file.notify for file in changed] + list(removed.values())
    module.exit_json(
        changed=bool(changed or removed),
        diff=diff,
        notify=sorted({name for names in notified for name in names}),
        paths=[file.path for file in changed] + [str(place) for place in removed],
    )


if __name__ == "__main__":
    main()
