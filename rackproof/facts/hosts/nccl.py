"""NCCL and RCCL settings of a server, for all its users.

Sources: NVIDIA NCCL documentation, environment variables: what stands in the environment comes first, then
``~/.nccl.conf``, then ``/etc/nccl.conf``; RCCL's are called ``rccl.conf`` (RCCL, src/misc/param.cc). Sessions take
their environment from ``/etc/environment`` (pam_env(8)) and ``/etc/profile.d`` (bash(1)). What a job or its container
sets comes on top and is not seen here.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output
from rackproof.facts.hosts.shell_text import file_lines

FILES: Final = (
    "grep -sHE '^[[:space:]]*(export[[:space:]]+)?(NCCL|RCCL)_[A-Z0-9_]+=' "
    "/etc/nccl.conf /etc/rccl.conf /root/.nccl.conf /root/.rccl.conf /etc/environment /etc/profile.d/*; true"
)
SETTING: Final = re.compile(r"""^(?:export\s+)?(?P<name>[A-Z0-9_]+)=(?P<quote>["']?)(?P<value>.*?)(?P=quote)\s*;?$""")
STRONGEST: Final = ("/etc/profile.d/", "/etc/environment", "/root/.", "/etc/")


class NcclSetting(Struct, frozen=True, gc=False):
    """A setting, and the file that it stands in."""

    value: str
    file: str


NcclSettings = Mapping[str, NcclSetting]
"""By name: ``NCCL_IB_TC``; of several files the one that counts."""


def parse_nccl(answers: Answers) -> NcclSettings:
    """Return the NCCL settings of a server; empty where no file has any, so that NCCL's defaults apply.

    Raises
    ------
    FactError
        The files could not be read.
    """
    return dict(sorted(_settings(command_output(answers, FILES)), key=lambda one: _strength(one[1].file)))


def _settings(text: str) -> Iterator[tuple[str, NcclSetting]]:
    for path, line in file_lines(text):
        match = SETTING.match(line)
        if match:
            yield match["name"], NcclSetting(match["value"], path)


def _strength(path: str) -> int:
    """Return a file's rank; the one that counts has the highest."""
    return -next((rank for rank, start in enumerate(STRONGEST) if path.startswith(start)), len(STRONGEST))


FACT: Final = Fact("nccl", (FILES,), parse_nccl)
