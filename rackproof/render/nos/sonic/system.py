"""The switch itself: name, management, services around it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from rackproof.plan.model.plan import ManagementIntent, TelemetryIntent
from rackproof.render.nos.sonic.database import ConfigDb, key, row_fields, rows

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel
    from rackproof.plan.model.plan import SwitchIntent

MANAGEMENT_VRF = {"vrf": "mgmt"}


def write_system(model: SwitchModel, intent: SwitchIntent) -> ConfigDb:
    """Return the tables of the switch itself."""
    gnmi_port = intent.telemetry.gnmi_port if intent.telemetry else None
    telemetry = {} if gnmi_port is None else {"gnmi": {"port": str(gnmi_port), **MANAGEMENT_VRF}}
    return {
        "DEVICE_METADATA": {"localhost": _metadata(model, intent)},
        "MGMT_VRF_CONFIG": {"vrf_global": {"mgmtVrfEnabled": "true"}},
        "MGMT_PORT": {"eth0": {"alias": "eth0", "admin_status": "up"}},
        "MGMT_INTERFACE": {
            key("eth0", intent.management.address): (
                {"gwaddr": intent.management.gateway} if intent.management.gateway else {}
            )
        },
        "NTP": {"global": dict(MANAGEMENT_VRF)} if intent.ntp else {},
        "NTP_SERVER": {server: {} for server in intent.ntp},
        "SYSLOG_SERVER": {server: dict(MANAGEMENT_VRF) for server in intent.syslog},
        "DNS_NAMESERVER": {server: {} for server in intent.dns},
        "TELEMETRY": telemetry,
        "LLDP": {} if intent.lldp else {"GLOBAL": {"enabled": "false"}},
    }


def _metadata(model: SwitchModel, intent: SwitchIntent) -> dict[str, str]:
    """Return what the switch is; BGP is left to the management framework's tables."""
    return {
        "hostname": intent.hostname,
        "hwsku": model.hwsku,
        "platform": model.platform,
        "type": "LeafRouter",
        "buffer_model": "traditional",
        "docker_routing_config_mode": "unified",
        "frr_mgmt_framework_config": "true",
    }


def read_hostname(database: ConfigDb) -> str:
    """Return the host name."""
    return row_fields(database, "DEVICE_METADATA", "localhost").get("hostname", "")


def read_management(database: ConfigDb) -> ManagementIntent:
    """Return the management address and gateway."""
    for (_, address), fields in rows(database, "MGMT_INTERFACE", 2):
        return ManagementIntent(address, fields.get("gwaddr"))
    return ManagementIntent("", None)


def read_servers(database: ConfigDb, table: str) -> tuple[str, ...]:
    """Return the servers a table lists in the order of their addresses: the table keeps no other."""
    return tuple(sorted(database.get(table, {}), key=_address_order))


def _address_order(server: str) -> tuple[int, int, str]:
    """Sort key: addresses by number, names after them."""
    try:
        return (0, int(ip_address(server)), "")
    except ValueError:
        return (1, 0, server)


def read_telemetry(database: ConfigDb) -> TelemetryIntent | None:
    """Return the gNMI server."""
    port = row_fields(database, "TELEMETRY", "gnmi").get("port", "")
    return TelemetryIntent(int(port)) if port.isdecimal() else None


def read_lldp(database: ConfigDb) -> bool:
    """Return whether LLDP is on, as it is by default."""
    return row_fields(database, "LLDP", "GLOBAL").get("enabled") != "false"
