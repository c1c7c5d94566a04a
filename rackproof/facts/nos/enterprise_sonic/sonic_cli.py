"""Tables of ``sonic-cli`` on Dell Enterprise SONiC.

The shapes of the tables are those of the management framework's renderer templates (``show_interface_status.j2``,
``lldp_show.j2``, ``show_ip_bgp_summary_rpc.j2``) and of the outputs in the documentation of the
dellemc.enterprise_sonic collection (release 4.x).
"""

import re

from rackproof.facts.models import BgpSession, LldpNeighbour, PortStatus
from rackproof.facts.nos.columns import table_rows

STATUS_TITLES = ("Name", "Description", "Oper", "Reason", "AutoNeg", "Speed", "MTU", "Alternate Name")
LLDP_TITLES = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
BGP_TITLES = ("Neighbor", "V", "AS", "MsgRcvd", "MsgSent", "InQ", "OutQ", "Up/Down", "State/PfxRcd")
PORT_NAME = re.compile(r"^(Eth|PortChannel)\S*$")


def parse_interface_status(text: str) -> tuple[PortStatus, ...]:
    """Return the ports of ``show interface status``."""
    return tuple(
        PortStatus(name, oper == "up", reason, parse_number(speed), parse_number(mtu))
        for name, _, oper, reason, _, speed, mtu, _ in table_rows(text, STATUS_TITLES)
        if PORT_NAME.match(name)
    )


def parse_lldp_table(text: str) -> tuple[LldpNeighbour, ...]:
    """Return the neighbours of ``show lldp table``; names longer than 19 characters end in ``...`` there."""
    return tuple(
        LldpNeighbour(port, device, remote_port)
        for port, device, remote_port, _, _ in table_rows(text, LLDP_TITLES)
        if PORT_NAME.match(port)
    )


def parse_bgp_summary(text: str, family: str = "ipv4") -> tuple[BgpSession, ...]:
    """Return the neighbours of ``show bgp ... summary`` of one family; nothing when BGP is not configured."""
    rows = (row for row in table_rows(text, BGP_TITLES) if row[1] == "4" and row[0])
    return tuple(
        BgpSession(neighbour, parse_number(asn), state.isdigit(), parse_number(state) or 0, (family,))
        for neighbour, _, asn, *_, state in rows
    )


def parse_number(cell: str) -> int | None:
    """Return the number in a cell; None where it holds something else."""
    return int(cell) if cell.isdigit() else None
