"""Stand-ins for perftest on this machine, for the agent's tests: they listen, wait and print like the real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

SERVER: Final = """#!/usr/bin/env python3
import socket, sys, pathlib, os
pathlib.Path(sys.argv[2]).write_text(str(os.getpid()))
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
connection, _ = listener.accept()
print("served", connection.recv(100).decode())
"""
CLIENT: Final = """#!/usr/bin/env python3
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(b"hello")
print("sent")
"""


def install(folder: Path) -> tuple[str, str]:
    """Write the two, and return their paths."""
    for name, text in (("server", SERVER), ("client", CLIENT)):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return str(folder / "server"), str(folder / "client")
