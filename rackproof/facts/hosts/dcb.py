"""Data centre bridging of a server's ports: trust, DSCP to priority to class, PFC, congestion notifications.

Sources: dcb-pfc(8), dcb-ets(8) and dcb-app(8) of iproute2; ``mlnx_qos`` of NVIDIA's mlnx-tools; sysfs of NVIDIA's
driver (net/<port>/ecn) and debugfs of the kernel's own (mlx5/<function>/cc_params); configfs of Broadcom's
(bnxt_setupcc.sh 236.1.155.0: bnxt_re/<device>/ports/1/cc).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, command_output
from rackproof.facts.hosts.interfaces import port_texts
from rackproof.facts.hosts.shell_text import each_port_command, file_values, files

DCB: Final = each_port_command(
    'dcb -N pfc show dev "$port" && dcb -N ets show dev "$port" && dcb -N app show dev "$port"'
)
MLNX_QOS: Final = each_port_command('command -v mlnx_qos >/dev/null && mlnx_qos -i "$port"')
FILES: Final = files(
    "/sys/class/net/*/ecn/roce_?p/enable/?",
    "/sys/class/net/*/ecn/roce_np/cnp_*",
    "/sys/kernel/config/bnxt_re/*/ports/1/cc/*_prio",
    "/sys/kernel/config/bnxt_re/*/ports/1/cc/*_dscp",
    "/sys/kernel/config/bnxt_re/*/ports/1/cc/ecn_*",
    "/sys/kernel/debug/mlx5/*/cc_params/np_cnp_*",
)
OWNERS: Final = "ls -d /sys/class/infiniband/*/device/net/* /sys/bus/pci/devices/*/net/* 2>/dev/null; true"
"""Lists RDMA device and PCI function of each port, which hold its congestion control."""
TRUST: Final = re.compile(r"Priority trust state: (\w+)")
ENABLED: Final = re.compile(r"^\s*enabled\s+([01](?:\s+[01]){7})\s*$", re.MULTILINE)
MAPPED: Final = re.compile(r"^\s*prio:(\d) dscp:([\d,]+)", re.MULTILINE)
CLASS: Final = re.compile(r"^tc: (\d)[^\n]*tsa: (\w+)(?:, bw: (\d+)%)?[^\n]*((?:\n\s+priority:\s*\d)*)", re.MULTILINE)
ECN: Final = re.compile(r"/sys/class/net/(?P<port>[^/]+)/ecn/(?P<file>.+)\Z")


class PortQos(Struct, frozen=True, gc=False):
    """QoS settings of a port."""

    tool: str
    """Source of the values: ``dcb`` or ``mlnx_qos``."""
    trusts_dscp: bool
    dscp_priority: Mapping[int, int]
    """Code points that have a priority of their own."""
    pfc: tuple[int, ...]
    """Priorities that are paused, and not dropped, when the other end has no room."""
    priority_class: Mapping[int, int]
    bandwidth_percent: Mapping[int, int]
    """Class to its share; classes with strict priority have 0."""
    notifies: tuple[int, ...] | None
    """Priorities for which the port sends congestion notifications; None: its driver does not report it."""
    reacts: tuple[int, ...] | None
    """Priorities that slow down on notifications; None: its driver does not report it."""
    cnp_dscp: int | None
    """DSCP of notifications; None: its driver does not report it."""
    cnp_priority: int | None
    """Likewise."""


QosOfPorts = Mapping[str, PortQos | str]
"""By port; the reason in place of settings that are unknown."""


def parse_dcb(answers: Answers) -> QosOfPorts:
    """Return the QoS settings of every port with an adapter.

    Raises
    ------
    FactError
        The commands were not run.
    """
    values = file_values(command_output(answers, FILES))
    owners = list(_port_and_owner(command_output(answers, OWNERS)))
    dcb, nvidia = port_texts(answers, DCB), port_texts(answers, MLNX_QOS)
    control: dict[str, dict[str, int]] = {}
    for port, owner in owners:
        control.setdefault(port, {}).update(_control(owner, values))
    ecn = _ecn(values)
    return {
        port: _qos(port, dcb.get(port, ""), nvidia.get(port, ""), ecn.get(port, {}), control.get(port, {}))
        for port in {**dcb, **nvidia}
    }


def _ecn(values: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return port to the files of its congestion control, by their path below ``ecn``."""
    found: dict[str, dict[str, str]] = {}
    for path, value in values.items():
        match = ECN.match(path)
        if match:
            found.setdefault(match["port"], {})[match["file"]] = value
    return found


def _port_and_owner(text: str) -> Iterator[tuple[str, str]]:
    for path in text.split():
        start, _, port = path.rpartition("/net/")
        yield port, start.removesuffix("/device").rpartition("/")[2]


def _control(owner: str, values: Mapping[str, str]) -> dict[str, int]:
    """Return the congestion control of an RDMA device of Broadcom, or of a PCI function of NVIDIA.

    NVIDIA's driver in the kernel keeps it in debugfs, and has it on for every priority (Linux,
    drivers/infiniband/hw/mlx5/cong.c).
    """
    places = {
        f"/sys/kernel/config/bnxt_re/{owner}/ports/1/cc/{name}": name
        for name in ("roce_prio", "cnp_prio", "roce_dscp", "cnp_dscp", "ecn_enable")
    }
    debug = f"/sys/kernel/debug/mlx5/{owner}/cc_params"
    places |= {f"{debug}/np_cnp_dscp": "cnp_dscp", f"{debug}/np_cnp_prio": "cnp_prio"}
    found = {name: _last_number(values[path]) for path, name in places.items() if path in values}
    return {name: value for name, value in found.items() if value is not None}


def port_qos(found: QosOfPorts, port: str) -> PortQos:
    """Return the QoS settings of a port.

    Raises
    ------
    FactError
        There is no such port, or its settings are unknown.
    """
    qos = found.get(port, "there is no such port")
    if isinstance(qos, str):
        raise FactError(f"{port}: data centre bridging: {qos}")
    return qos


def _qos(port: str, dcb: str, nvidia: str, ecn: Mapping[str, str], control: Mapping[str, int]) -> PortQos | str:
    """Return the settings from the adapter's tool: NVIDIA's where it is installed and answers, else dcb."""
    if TRUST.search(nvidia):
        return _mlnx_qos_settings(port, nvidia, ecn)
    if "prio-pfc" in dcb:
        return _dcb_settings(dcb, control)
    lines = [line.strip() for line in (dcb or nvidia).splitlines() if line.strip()]
    return lines[0] if lines else "neither dcb nor mlnx_qos is installed"


def _dcb_settings(text: str, control: Mapping[str, int]) -> PortQos:
    mapped = _pairs(text, "dscp-prio")
    on = (control["roce_prio"],) if control.get("ecn_enable") and "roce_prio" in control else ()
    return PortQos(
        tool="dcb",
        # An adapter reads code points only with an entry for at least one of them (dcb-app(8)).
        trusts_dscp=bool(mapped),
        dscp_priority=mapped,
        pfc=tuple(sorted(int(key) for key, value in _words(text, "prio-pfc") if value == "on")),
        priority_class=_pairs(text, "prio-tc"),
        bandwidth_percent=_pairs(text, "tc-bw"),
        # One switch of Broadcom's firmware turns both on (bnxt_setupcc.sh: ecn_enable).
        notifies=on if "ecn_enable" in control else None,
        reacts=on if "ecn_enable" in control else None,
        cnp_dscp=control.get("cnp_dscp"),
        cnp_priority=control.get("cnp_prio"),
    )


def _words(text: str, name: str) -> list[tuple[str, str]]:
    """Return the pairs behind a name: ``prio-pfc 0:off 1:off``; pairs of a long table go on in the next line."""
    match = re.search(rf"(?<![\w-]){name}((?:\s+[^\s:]+:[^\s:]+)+)", text)
    return [(key, value) for key, _, value in (pair.partition(":") for pair in match.group(1).split())] if match else []


def _pairs(text: str, name: str) -> dict[int, int]:
    return {int(key): int(value) for key, value in _words(text, name) if key.isdigit() and value.isdigit()}


def _last_number(text: str | None) -> int | None:
    """Return the number at a line's end, as in ``0x3`` or ``cnp prio : 0x3``; None: there is none."""
    words = (text or "").split()
    return int(words[-1], 0) if words and re.fullmatch(r"0x[0-9a-fA-F]+|\d+", words[-1]) else None


def _mlnx_qos_settings(port: str, text: str, ecn: Mapping[str, str]) -> PortQos:
    trust = TRUST.search(text)
    classes = CLASS.findall(text)
    enabled = ENABLED.search(text)
    if enabled is None:
        raise FactError(f"{port}: `mlnx_qos` does not say which priorities have PFC")
    return PortQos(
        tool="mlnx_qos",
        trusts_dscp=bool(trust and trust.group(1) == "dscp"),
        dscp_priority=_keys_to_number(
            (_numbers(code_points), priority) for priority, code_points in MAPPED.findall(text)
        ),
        pfc=tuple(priority for priority, on in enumerate(enabled.group(1).split()) if on == "1"),
        priority_class=_keys_to_number((map(int, re.findall(r"\d", rest)), number) for number, _, _, rest in classes),
        bandwidth_percent={int(number): int(share or 0) for number, _, share, _ in classes},
        notifies=_enabled("roce_np", ecn),
        reacts=_enabled("roce_rp", ecn),
        cnp_dscp=_last_number(ecn.get("roce_np/cnp_dscp")),
        cnp_priority=_last_number(ecn.get("roce_np/cnp_802p_prio")),
    )


def _keys_to_number(rows: Iterable[tuple[Iterable[int], str]]) -> dict[int, int]:
    """Return each key to the number of its row."""
    found: dict[int, int] = {}
    for keys, number in rows:
        found.update(dict.fromkeys(keys, int(number)))
    return found


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _enabled(role: str, ecn: Mapping[str, str]) -> tuple[int, ...] | None:
    """Return the priorities that a role of congestion control is on for."""
    start = f"{role}/enable/"
    found = {int(path.removeprefix(start)): value for path, value in ecn.items() if path.startswith(start)}
    return tuple(sorted(priority for priority, value in found.items() if value == "1")) if found else None


FACT: Final = Fact("dcb", (DCB, MLNX_QOS, FILES, OWNERS), parse_dcb)
