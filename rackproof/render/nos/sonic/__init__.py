"""Community SONiC: config_db.json, an export format that is rendered and never deployed.

The file is one structured document, so it is built as tables and not from templates. Start at ``render`` below: each
``write_*`` returns the tables of a feature, and each ``read_*`` reads them back.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import PortIntent, SwitchIntent
from rackproof.plan.model.port_names import port_keys
from rackproof.render.extensions import refuse_extensions
from rackproof.render.nos.sonic import bgp, buffers, canonical, ports, roce, static, system, vlans
from rackproof.render.nos.sonic.database import ConfigDb, to_text
from rackproof.render.parsed import ParsedConfiguration, explained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.render.config_tree import ConfigTree

SUFFIX = ".json"


def render(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> str:
    """Return the whole config_db.json, without what the switch fills by itself."""
    refuse_extensions(nos, intent)
    names = {key: name for name, key in port_keys(nos, model, intent.breakouts).items()}
    return to_text(
        system.write_system(model, intent)
        | ports.write_ports(nos, model, intent)
        | vlans.write_vlans(intent, names)
        | vlans.write_port_channels(intent, names)
        | vlans.write_overlay(intent)
        | static.write_default_route(intent)
        | bgp.write_bgp(intent, names)
        | roce.write_roce(intent, names)
        | buffers.write_buffers(model, intent, names)
    )


def parse(nos: NosModel, model: SwitchModel, text: str) -> ParsedConfiguration:
    """Return what the file means, and the lines in which it is not the rendering of that."""
    intent = _intent(nos, model, _load(text))
    return explained(intent, owned_tree(text), owned_tree(render(nos, model, intent)))


def owned_tree(text: str) -> ConfigTree:
    """Return what a rendered file answers for."""
    return canonical.owned_tree(_load(text))


def _load(text: str) -> ConfigDb:
    """Return the database of a file.

    Raises
    ------
    BadInputError
        The text is not an object of objects of objects.
    """
    try:
        database = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInputError(f"not a config_db.json: {error}") from error
    if not isinstance(database, dict):
        raise BadInputError("not a config_db.json: it holds no tables")
    return database


def _intent(nos: NosModel, model: SwitchModel, database: ConfigDb) -> SwitchIntent:
    """Return the intent that a database states."""
    breakouts = ports.read_breakouts(nos, model, database)
    keys = port_keys(nos, model, breakouts)
    return SwitchIntent(
        hostname=system.read_hostname(database),
        management=system.read_management(database),
        ntp=system.read_servers(database, "NTP_SERVER"),
        dns=system.read_servers(database, "DNS_NAMESERVER"),
        syslog=system.read_servers(database, "SYSLOG_SERVER"),
        breakouts=breakouts,
        ports=_ports(database, keys),
        port_channels=vlans.read_port_channels(database),
        vlans=vlans.read_vlans(database),
        loopback=vlans.read_loopback(database),
        anycast_mac=database.get("SAG", {}).get("GLOBAL", {}).get("gateway_mac"),
        bgp=bgp.read_bgp(database, keys),
        vxlan=vlans.read_vxlan(database),
        roce=roce.read_roce(database),
        telemetry=system.read_telemetry(database),
        lldp=system.read_lldp(database),
        default_route=static.read_default_route(database),
    )


def _ports(database: ConfigDb, keys: Mapping[str, str]) -> dict[str, PortIntent]:
    """Return the ports in use with all that the tables say of them."""
    untagged, tagged = vlans.read_memberships(database)
    bundled, lengths = vlans.read_bundled(database), buffers.read_cable_lengths(database)
    lossless = database.get("PORT_QOS_MAP", {})
    names = {key: name for name, key in keys.items()}
    return {
        key: replace(
            port,
            vlan=untagged.get(names[key]),
            tagged_vlans=tagged.get(names[key], ()),
            port_channel=bundled.get(names[key]),
            lossless=names[key] in lossless,
            cable_length_m=lengths.get(names[key]),
        )
        for key, port in ports.read_ports(database, keys).items()
    }


def left_alone(_text: str) -> tuple[str, ...]:
    """Return nothing: config_db.json is exported, and no switch that runs it is compared."""
    return ()
