"""Named field types, used wherever a value of that kind is read or planned."""

import re
from functools import lru_cache
from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

MODEL_NAME_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"
DNS_NAME_PATTERN = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$"
HOSTNAME_PATTERN = r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$"
KERNEL_ARGUMENT_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.,:=/@+-]{0,255}$"
EXPORT_PATTERN = r"^(/|(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})+/?)$"
REMOTE_HOST_PATTERN = (
    r"^([A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}(%[A-Za-z0-9._-]{1,15})?)$"
)
USER_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}$"
HOST_KEY_PATTERN = r"^[a-z0-9][a-z0-9@.-]{0,63} [A-Za-z0-9+/]+={0,2}( [ -~]*)?$"
VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,254}$"
FILE_PATTERN = r"^[A-Za-z0-9_./~][A-Za-z0-9_./~@+:,= -]{0,1023}$"
STACK_KEY_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,254}$"
PRINTABLE_PATTERN = r"^[ -~]{1,128}$"
PCI_ADDRESS_PATTERN = r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$"
MAC_ADDRESS_PATTERN = r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$"
DEVICE_ID_PATTERN = r"^[0-9a-f]{4}:[0-9a-f]{4}$"
KERNEL_NAME_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"
BREAKOUT_PATTERN = re.compile(r"^(?P<count>[1248])x(?P<speed_gbps>[0-9]+)G$")

SiteName = Annotated[str, StringConstraints(pattern=HOSTNAME_PATTERN)]
"""Name of a site: lower case letters, digits and dashes (RFC 1123 label that starts with a letter)."""

Hostname = Annotated[str, StringConstraints(pattern=HOSTNAME_PATTERN)]
"""Name of a device, as it goes into the device's host name."""

DnsName = Annotated[str, StringConstraints(pattern=DNS_NAME_PATTERN, max_length=253)]
"""Fully qualified domain name, without the dot at its end."""

ModelName = Annotated[str, StringConstraints(pattern=MODEL_NAME_PATTERN)]
"""Name of a catalogue entry: its file name without the suffix."""

KernelArgument = Annotated[str, StringConstraints(pattern=KERNEL_ARGUMENT_PATTERN)]
"""One argument of a kernel command line: no blank, and no character that a shell or GRUB's scripts expand (GRUB manual,
6.1: ``/etc/default/grub`` is sourced by the shell)."""

ExportPath = Annotated[str, StringConstraints(pattern=EXPORT_PATTERN)]
"""Absolute path that an NFS server exports: it goes into systemd mount units, where ``%`` is a specifier
(systemd.unit(5)), and no part of it leads upwards."""

RemoteHost = Annotated[str, StringConstraints(pattern=REMOTE_HOST_PATTERN)]
"""Host name, IPv4 or IPv6 address that is connected to; a dash at its start would be an option of ssh(1)."""

UserName = Annotated[str, StringConstraints(pattern=USER_PATTERN)]
"""Account on a device: letters, digits and ``_ . @ -``, not beginning with a dash or a dot."""

HostKey = Annotated[str, StringConstraints(pattern=HOST_KEY_PATTERN)]
"""Public host key as one line of known_hosts holds it after the name (sshd(8)): kind, key in base64, comment."""

VariableName = Annotated[str, StringConstraints(pattern=VARIABLE_PATTERN)]
"""Name of an environment variable (POSIX.1-2017, 8.1: letters, digits and underscores, no digit first)."""

FileReference = Annotated[str, StringConstraints(pattern=FILE_PATTERN)]
"""Path of a file of the user, without characters that a shell, ssh_config(5) or a template expands."""

StackKey = Annotated[str, StringConstraints(pattern=STACK_KEY_PATTERN)]
"""Key of a Pulumi secret in a stack's configuration."""

PrintableText = Annotated[str, StringConstraints(pattern=PRINTABLE_PATTERN)]
"""One line of printable ASCII, as firmware reports a serial number."""

KernelName = Annotated[str, StringConstraints(pattern=KERNEL_NAME_PATTERN)]
"""Name of a device in the kernel: 64 characters at most (IB_DEVICE_NAME_MAX of Linux's rdma/ib_user_verbs.h)."""

BreakoutMode = Annotated[str, StringConstraints(pattern=BREAKOUT_PATTERN.pattern)]
"""How a port is split: number of child ports and speed of each, such as 4x200G."""

Asn = Annotated[int, Field(ge=1, le=4294967294)]
"""BGP autonomous system number (RFC 6793, four bytes; 4294967295 is reserved by RFC 7300)."""

VlanId = Annotated[int, Field(ge=2, le=4094)]
"""VLAN a site may use: 0 and 4095 are reserved by IEEE 802.1Q, 1 is every switch's default."""

MtuBytes = Annotated[int, Field(ge=1280, le=9216)]
"""Layer 3 MTU: 1280 is IPv6's least (RFC 8200), 9216 the largest a Dell or NVIDIA switch port takes."""

Priority = Annotated[int, Field(ge=0, le=7)]
"""PFC priority, equal to the traffic class and the queue it maps to (IEEE 802.1Qbb has eight)."""

Dscp = Annotated[int, Field(ge=0, le=63)]
"""Differentiated services code point (RFC 2474, six bits)."""

Percent = Annotated[int, Field(ge=0, le=100)]

SpeedGbps = Annotated[int, Field(gt=0)]
LengthM = Annotated[float, Field(gt=0)]
Watts = Annotated[int, Field(ge=0)]

Fec = Literal["rs", "fc", "none"]
"""Forward error correction: Reed-Solomon (IEEE 802.3 clause 91/134/161), FireCode (clause 74) or none."""

Feed = Literal["A", "B"]
"""One of the two independent power feeds of a site."""

Prefix = IPv4Network


@lru_cache
def split_breakout(mode: str) -> tuple[int, int]:
    """Return (number of child ports, speed of each in Gb/s) of a breakout mode such as ``4x200G``.

    Raises
    ------
    ValueError
        The text is not a breakout mode.
    """
    match = BREAKOUT_PATTERN.match(mode)
    if match is None:
        message = f"{mode!r} is not a breakout mode such as 4x200G"
        raise ValueError(message)
    return int(match["count"]), int(match["speed_gbps"])
