"""An interactive ``sonic-cli``: the only place that changes a switch, and the only user of netmiko.

netmiko is imported when the first session opens: it takes longer to import than a switch takes to answer.
"""

from __future__ import annotations

import io
import logging
import os
import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from rackproof.connect.errors import CommandError
from rackproof.connect.ssh import known_host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rackproof.connect.ssh import Target

CONFIGURE_PROMPT: Final = r"^\S+\(config[^)\n]*\)# ?$"
EXEC_PROMPT: Final = r"^[^\s(]+# ?$"
QUESTION: Final = r"\[[^\]\n]*[yY]/N\]:\s*$"
REFUSAL: Final = re.compile(r"^% ?Error:?\s*(?P<reason>.*)$", re.MULTILINE)
ANSWER_S: Final = 60.0
"""How long a line may take; breaking out a port or making a map takes seconds."""
ANSWER_BYTES: Final = 1 << 20
"""Longest answer to a line, which is an echo, a refusal or a question."""
SAVE_S: Final = 120.0
RESTART_S: Final = 300.0
"""How long a switch may save and prepare before it drops the session and restarts."""
READ_PAUSE_S: Final = 0.002


class SessionGoneError(CommandError):
    """The session broke."""


class SonicCli:
    """One session in ``sonic-cli``; all its methods block, so they run in a thread of their own.

    Parameters
    ----------
    target
        The switch.

    Raises
    ------
    CommandError
        No session can be opened.
    """

    def __init__(self, target: Target) -> None:
        self._broken: tuple[type[Exception], ...] = ()
        self._connection = self._open(target)

    def _open(self, target: Target) -> Any:  # noqa: ANN401 netmiko is published without types
        from netmiko import ConnectHandler  # noqa: PLC0415 slow to import
        from netmiko.exceptions import NetmikoBaseException  # noqa: PLC0415 likewise
        from paramiko import SSHException  # noqa: PLC0415 likewise

        logging.getLogger("paramiko").addHandler(logging.NullHandler())
        self._broken = (NetmikoBaseException, SSHException, EOFError, OSError)
        with known_hosts(target) as file, self.talking("opening a session"):
            return ConnectHandler(
                device_type="dell_sonic",
                host=target.access.host,
                port=target.access.port,
                username=target.access.user,
                conn_timeout=target.limits.connect_s,
                auth_timeout=target.limits.login_s,
                banner_timeout=target.limits.login_s,
                ssh_strict=True,
                alt_host_keys=True,
                alt_key_file=file,
                allow_agent=False,
                use_keys=False,
                keepalive=15,
                **credentials(target),
            )

    def type_lines(self, lines: tuple[str, ...], note: Callable[[str], None]) -> None:
        """Type lines in configure mode, one by one, and leave it again.

        Parameters
        ----------
        lines
            Blocks entered and left, as `edits.typed` writes them.
        note
            Called with every line before it is sent; its exception ends the work.

        Raises
        ------
        CommandError
            The switch refuses a line, asks something, or the session breaks.
        """
        if not lines:
            return
        self._say("configure terminal", CONFIGURE_PROMPT)
        for line in lines:
            note(line)
            self._checked(line, self._say(line, f"(?:{CONFIGURE_PROMPT}|{QUESTION})"))
        self._say("end", EXEC_PROMPT)

    def restart_by(self, line: str, note: Callable[[str], None]) -> None:
        """Type a line that asks for confirmation, answer yes, and let the switch save and restart.

        Raises
        ------
        CommandError
            The switch refuses the line or does not ask.
        """
        self._say("configure terminal", CONFIGURE_PROMPT)
        note(line)
        answer = self._say(line, f"(?:{CONFIGURE_PROMPT}|{QUESTION})")
        self._refused(line, answer)
        if not re.search(QUESTION, answer):
            raise CommandError(f"the switch did not ask before `{line}`: it would not restart")
        note("y")
        try:
            self._refused(line, self._say("y", f"(?:{CONFIGURE_PROMPT}|% ?Error.*$)", RESTART_S))
        except SessionGoneError:
            return

    def save(self) -> None:
        """Save the running configuration as startup.

        Raises
        ------
        CommandError
            The switch could not write it, or the session broke.
        """
        self._refused("write memory", self._say("write memory", EXEC_PROMPT, SAVE_S))

    def close(self) -> None:
        """End the session."""
        self._connection.disconnect()

    def _say(self, line: str, until: str, timeout_s: float = ANSWER_S) -> str:
        """Type a line and return the output up to the pattern ``until``."""
        with self.talking(line):
            self._connection.write_channel(f"{line}\n")
            return self._answer(re.compile(until, re.MULTILINE), timeout_s)

    def _answer(self, until: re.Pattern[str], timeout_s: float) -> str:
        """Read until a pattern matches or the session closes; netmiko's own reading does not notice the latter."""
        answer = ""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            gone = self._connection.remote_conn.closed
            answer += str(self._connection.read_channel())
            if len(answer) > ANSWER_BYTES:
                raise TimeoutError(f"more than {ANSWER_BYTES >> 20} MiB were printed and no prompt")
            if until.search(answer):
                return answer
            if gone:
                raise EOFError("the switch closed it")
            time.sleep(READ_PAUSE_S)
        raise TimeoutError(f"no answer within {timeout_s:g} s")

    def _checked(self, line: str, answer: str) -> None:
        """Raise at a refusal, and at an unexpected question, which is answered with no."""
        self._refused(line, answer)
        if re.search(QUESTION, answer):
            self._say("N", f"(?:{CONFIGURE_PROMPT}|{EXEC_PROMPT})")
            question = answer.strip().splitlines()[-1].strip()
            raise CommandError(f"`{line}` made the switch ask an unexpected question, answered with no: {question}")

    @staticmethod
    def _refused(line: str, answer: str) -> None:
        if match := REFUSAL.search(answer):
            raise CommandError(f"the switch refuses `{line}`: {match['reason'].strip() or 'no reason given'}")

    @contextmanager
    def talking(self, about: str) -> Iterator[None]:
        """Raise one error for whatever breaks a session.

        Raises
        ------
        SessionGoneError
            The session broke.
        """
        try:
            yield
        except TimeoutError as error:
            raise CommandError(f"`{about}`: {error}") from error
        except self._broken as error:
            reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            raise SessionGoneError(f"the session broke at `{about}`: {reason.strip()}") from error


@contextmanager
def known_hosts(target: Target) -> Iterator[str]:
    """Provide the recorded host key as the file that netmiko reads when it connects.

    The file is in memory and has no name in a folder (memfd_create(2)): nothing of it outlives this process.
    """
    host, port = target.access.host, target.access.port
    name = host if port == 22 else f"[{host}]:{port}"
    with open(os.memfd_create("rackproof-hosts"), "w", encoding="utf-8") as file:  # noqa: PTH123 it has no path
        file.write(f"{name} {known_host_key(target).export_public_key().decode()}\n")
        file.flush()
        yield f"/proc/self/fd/{file.fileno()}"


def credentials(target: Target) -> dict[str, Any]:
    """Return password or key as netmiko takes them."""
    credential = target.credential()
    if credential.private_key is None:
        password = credential.password
        return {"password": None if password is None else password.get_secret_value()}
    return {"pkey": private_key(credential.private_key.get_secret_value())}


def private_key(text: str) -> Any:  # noqa: ANN401 paramiko's key classes have no common public type
    """Return a private key of any kind as paramiko has it.

    Raises
    ------
    CommandError
        The text is no private key that paramiko knows.
    """
    from paramiko import ECDSAKey, Ed25519Key, RSAKey, SSHException  # noqa: PLC0415 slow to import

    for kind in (Ed25519Key, ECDSAKey, RSAKey):
        try:
            return kind.from_private_key(io.StringIO(text))
        except (SSHException, ValueError):
            continue
    raise CommandError("the private key is of no kind that can be used (Ed25519, ECDSA, RSA without passphrase)")
