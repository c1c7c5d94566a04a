"""What of a switch's config_db.json a rendered file answers for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.sonic.database import ConfigDb, Fields

INIT: Final = "sonic-buildimage, files/build_templates/init_cfg.json.j2: written at first boot"

NOBODYS: Final = {
    **dict.fromkeys(
        (
            "AUTO_TECHSUPPORT",
            "AUTO_TECHSUPPORT_FEATURE",
            "BANNER_MESSAGE",
            "BGP_DEVICE_GLOBAL",
            "CRM",
            "FEATURE",
            "FLEX_COUNTER_TABLE",
            "KDUMP",
            "PASSW_HARDENING",
            "SYSLOG_CONFIG",
            "SYSLOG_CONFIG_FEATURE",
            "SYSTEM_DEFAULTS",
        ),
        INIT,
    ),
    "VERSIONS": "sonic-buildimage, db_migrator: the version of the database itself",
}
"""Tables that a switch fills by itself, and where that was seen."""

OF_THE_DEVICE: Final = {
    "DEVICE_METADATA": {
        "mac": "the device's own address",
        "default_bgp_status": INIT,
        "default_pfcwd_status": INIT,
        "synchronous_mode": INIT,
        "timezone": INIT,
    },
    "NTP": dict.fromkeys(("authentication", "dhcp", "server_role", "admin_state", "src_intf"), INIT),
}
"""Fields that a switch fills by itself in tables that are ours."""


def owned_tree(database: ConfigDb) -> ConfigTree:
    """Return the database as a tree, table > key > field: value, without what the switch fills by itself."""
    return {
        table: {row: _lines(table, fields) for row, fields in rows.items()}
        for table, rows in database.items()
        if table not in NOBODYS
    }


def _lines(table: str, fields: Fields) -> ConfigTree:
    passed_over = OF_THE_DEVICE.get(table, {})
    return {f"{field}: {json.dumps(value)}": {} for field, value in fields.items() if field not in passed_over}
