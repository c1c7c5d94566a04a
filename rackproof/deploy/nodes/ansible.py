"""Runs the playbook of nodes: the only place that starts Ansible."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rackproof import paths
from rackproof.deploy.nodes.job import NodeOptions, NodeTask
from rackproof.deploy.nodes.private_folder import RunFolder, run_folder
from rackproof.deploy.nodes.results import Follower, HostRun, Trouble
from rackproof.deploy.nodes.watchdog import ansible_process

POLL_S = 0.2
"""Seconds between two checks whether the run is to stop."""
MOST_AT_ONCE = 64
"""Hosts that one run works on at the same time; each is a process."""
SETTINGS: Final = {"pexpect_timeout": POLL_S, "idle_timeout": 0}
AS_WE_RUN_IT: Final = {"ANSIBLE_STRATEGY": "free", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_DEPRECATION_WARNINGS": "0"}
"""Hosts proceed at their own pace, so that one that hangs in a task delays no other."""


def run_playbook(
    tasks: Sequence[NodeTask], options: NodeOptions, report: Callable[[str, str], None], stop: threading.Event
) -> Mapping[str, HostRun]:
    """Run the playbook on hosts and return the result of each; blocks until it has ended.

    Parameters
    ----------
    tasks
        The hosts; their playbook is the first one's.
    options
        Timeouts of the run.
    report
        Called in this thread with a host and its present task.
    stop
        Set when the user asks to stop: Ansible gets SIGINT, and is killed if it does not end.

    Raises
    ------
    HostKeyError, CredentialError
        A host cannot be logged into as access.yaml says; nothing was started.
    """
    with run_folder(tasks) as folder:
        follower = Follower([task.device for task in tasks], report, folder.secrets)
        _run(folder, tasks[0].playbook, options, follower, _Stopper(folder, stop, options.stop_s))
        for host in follower.hosts.values():
            host.doing = host.doing or "before the first task"
        _explain_unreached(follower)
        return follower.hosts


def _run(folder: RunFolder, playbook: Path, options: NodeOptions, follower: Follower, stopper: "_Stopper") -> None:
    import ansible_runner  # noqa: PLC0415 slow to import, and only a change needs it

    runner = ansible_runner.interface.init_runner(
        private_data_dir=str(folder.path),
        project_dir=str(paths.ROOT),
        playbook=str(playbook),
        inventory=str(folder.inventory),
        envvars=_environment(folder, options, len(follower.hosts)),
        extravars={"nodes_reboot_timeout_s": options.reboot_s},
        settings={**SETTINGS, "job_timeout": options.run_s},
        event_handler=follower.take,
        cancel_callback=stopper,
        suppress_env_files=True,
        quiet=True,
    )
    runner.run()


def _environment(folder: RunFolder, options: NodeOptions, hosts: int) -> dict[str, str]:
    return {
        **AS_WE_RUN_IT,
        **folder.environment,
        "PATH": os.pathsep.join(
            (str(folder.commands), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
        ),
        "ANSIBLE_CONFIG": str(paths.ANSIBLE_CONFIG),
        "ANSIBLE_HOME": str(folder.path / "home"),
        "ANSIBLE_LOCAL_TEMP": str(folder.path / "tmp"),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(folder.connections),
        "ANSIBLE_FORKS": str(min(hosts, MOST_AT_ONCE)),
        "ANSIBLE_TASK_TIMEOUT": str(options.task_s),
    }


class _Stopper:
    """Polled by ansible-runner: whether to kill Ansible. Sends SIGINT first.

    Ansible ends on SIGINT as on Ctrl-C. A host finishes its present module, which changes each file as a whole or not.
    """

    def __init__(self, folder: RunFolder, stop: threading.Event, grace_s: float) -> None:
        self._folder = folder
        self._stop = stop
        self._grace_s = grace_s
        self._asked_at: float | None = None

    def __call__(self) -> bool:
        """Whether to kill it now."""
        if not self._stop.is_set():
            return False
        if self._asked_at is None:
            self._asked_at = time.monotonic()
            self._signal(signal.SIGINT)
        return time.monotonic() - self._asked_at > self._grace_s

    def _signal(self, number: signal.Signals) -> None:
        if (process := ansible_process(self._folder.path)) is not None:
            with contextlib.suppress(OSError):
                os.kill(process, number)


def _explain_unreached(follower: Follower) -> None:
    """Set Ansible's own output as the cause for hosts that it never reached."""
    lines = [line for line in follower.output if line]
    cause = next(
        (line for line in reversed(lines) if "ERROR" in line), lines[-1] if lines else "Ansible printed nothing"
    )
    for host in follower.hosts.values():
        if not host.ended and host.trouble is None:
            host.trouble = Trouble(host.doing, cause)
