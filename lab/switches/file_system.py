"""The file system of a lab switch: text files in memory, with a disk that can run full."""

import posixpath
from collections.abc import Iterator

CAPACITY_BYTES = 8 * 1024**3
_SHARED = "/tmp"  # noqa: S108 the switch's own folder
_CLEARED_AT_BOOT = ("/run", _SHARED)
"""Debian's tmpfs, and the folder that its tmpfiles.d/tmp.conf empties."""
_FOLDERS = (
    "/",
    "/etc",
    "/etc/sonic",
    "/etc/systemd",
    "/etc/systemd/system",
    "/home",
    "/var",
    "/var/lib",
    *_CLEARED_AT_BOOT,
)


class FileSystemError(Exception):
    """An error of the kernel; its text is what a command prints."""


class FileSystem:
    """Text files by absolute path. Root may write anywhere, others in /tmp and their home."""

    def __init__(self, home: str) -> None:
        self._files: dict[str, str] = {}
        self._folders = {*_FOLDERS, home}
        self._owned = (f"{home}/", f"{_SHARED}/")
        self.full = False

    def free_bytes(self) -> int:
        """Return how much fits on the disk."""
        return 0 if self.full else CAPACITY_BYTES - sum(map(len, self._files.values()))

    def read(self, path: str) -> str:
        """Return a file's text.

        Raises
        ------
        FileSystemError
            There is no such file.
        """
        if path in self._folders:
            raise FileSystemError("Is a directory")
        if path not in self._files:
            raise FileSystemError("No such file or directory")
        return self._files[path]

    def write(self, path: str, text: str, *, root: bool = True) -> None:
        """Create or replace a file.

        Raises
        ------
        FileSystemError
            The folder does not exist, the disk is full or the user may not write here.
        """
        self._check_writable(path, root=root)
        if path in self._folders:
            raise FileSystemError("Is a directory")
        if self.full:
            raise FileSystemError("No space left on device")
        self._files[path] = text

    def remove(self, path: str, *, root: bool = True) -> None:
        """Delete a file.

        Raises
        ------
        FileSystemError
            There is no such file, or the user may not delete it.
        """
        if path not in self._files:
            raise FileSystemError("No such file or directory")
        self._check_writable(path, root=root)
        del self._files[path]

    def rename(self, path: str, new_path: str, *, root: bool = True) -> None:
        """Give a file another name; that needs no room.

        Raises
        ------
        FileSystemError
            There is no such file, or the user may not write here.
        """
        self._check_writable(new_path, root=root)
        text = self.read(path)
        self.remove(path, root=root)
        self._files[new_path] = text

    def remove_folder(self, path: str, *, root: bool = True) -> None:
        """Delete a folder and all it holds.

        Raises
        ------
        FileSystemError
            There is no such folder, or the user may not delete it.
        """
        if path not in self._folders:
            raise FileSystemError("No such file or directory")
        self._check_writable(path, root=root)
        self._folders = {folder for folder in self._folders if not _inside(folder, path)}
        self._files = {name: text for name, text in self._files.items() if not _inside(name, path)}

    def make_folder(self, path: str, *, parents: bool, root: bool = True) -> None:
        """Create a folder.

        Raises
        ------
        FileSystemError
            It exists already or its parent does not, without ``parents``; or the user may not create it.
        """
        if path in self._folders:
            if parents:
                return
            raise FileSystemError("File exists")
        parent = posixpath.dirname(path)
        if parent not in self._folders:
            if not parents:
                raise FileSystemError("No such file or directory")
            self.make_folder(parent, parents=True, root=root)
        self._check_writable(path, root=root)
        self._folders.add(path)

    def clear_at_boot(self) -> None:
        """Empty the folders that do not survive a restart."""
        for folder in _CLEARED_AT_BOOT:
            self.remove_folder(folder)
            self.make_folder(folder, parents=True)

    def is_file(self, path: str) -> bool:
        """Return whether ``path`` is a file."""
        return path in self._files

    def is_folder(self, path: str) -> bool:
        """Return whether ``path`` is a folder."""
        return path in self._folders

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names in a folder, sorted."""
        inside = {path for path in (*self._files, *self._folders) if posixpath.dirname(path) == folder and path != "/"}
        return (posixpath.basename(path) for path in sorted(inside))

    def _check_writable(self, path: str, *, root: bool) -> None:
        if posixpath.dirname(path) not in self._folders:
            raise FileSystemError("No such file or directory")
        if not root and not path.startswith(self._owned):
            raise FileSystemError("Permission denied")


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
