"""A right site, and every way to break a rule: what is changed, where the error stands, what it says."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from rackproof.site.document import KEY
from rackproof.site.yaml_recovery import validate
from tests.unit.site.broken_uplinks import BROKEN_UPLINKS, UPLINK

if TYPE_CHECKING:
    from rackproof.errors import ValuePath
    from rackproof.site.models import Site

NOS: Final = "enterprise-sonic"
SWITCHES: Final = {"backend": "dell-z9864f-on", "frontend": "dell-s5232f-on", "oob": "dell-s3248t-on"}
RIGHT: Final[dict[str, Any]] = {
    "site": "example",
    "release": "metrum-2025",
    "racks": [{"name": "r1", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}}],
    "servers": [
        {
            "group": "gpu",
            "model": "dell-xe9680-h200",
            "nics": {"backend": "broadcom-bcm57608-2x200g", "frontend": "broadcom-bcm57414-2x25g"},
            "count": 2,
            "rack": "r1",
        }
    ],
    "fabrics": {
        name: {"topology": "single-switch", "switch": switch, "nos": NOS, "prefix": f"10.{number}0.0.0/16"}
        for number, (name, switch) in enumerate(SWITCHES.items(), start=1)
    },
}
RIGHT["fabrics"]["backend"]["roce"] = {}
HOSTED_GROUP: Final = {
    "group": "nd",
    "model": "azure-nd-h100-v5",
    "nics": {"backend": "nvidia-connectx7-ndr"},
    "count": 10,
}
CLUSTER: Final = {"name": "scale", "model": "dell-powerscale-f710", "nodes": 3, "rack": "r1"}
INFINIBAND: Final = {
    "fabrics.backend.switch": "nvidia-qm9790",
    "fabrics.backend.nos": "infiniband-unmanaged",
    "fabrics.backend.roce": None,
}


def site_with(changes: dict[str, Any]) -> Site:
    """The right site with values put in place; a key is a path with dots, and None takes the value away."""
    data = deepcopy(RIGHT)
    for path, value in changes.items():
        *above, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        owner: Any = data
        for step in above:
            owner = owner.setdefault(step, {}) if isinstance(owner, dict) else owner[step]
        if value is None:
            del owner[last]
        elif isinstance(owner, list):
            owner.insert(int(last), value)
        else:
            owner[last] = value
    return validate(data)


def roce(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 decoded YAML
    return {f"fabrics.backend.roce.{name}": value for name, value in fields.items()}


def again(name: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 decoded YAML
    return {**RIGHT["fabrics"][name], **changes}


BROKEN: Final[dict[str, tuple[dict[str, Any], ValuePath, str]]] = {
    "only_a_consolidated_pair_is_shared": (
        {"fabrics.frontend.shares": "backend"},
        ("fabrics", "frontend", "shares"),
        "backend is not a consolidated pair",
    ),
    "a_pair_has_one_way_with_roce": (
        {"fabrics.frontend.shares": "backend", "fabrics.frontend.roce": {"host_dscp": 24}},
        ("fabrics", "frontend", "roce"),
        "frontend shares the queues of backend, whose roce differs",
    ),
    "a_pair_carries_a_frontend": (
        {"fabrics.backend.topology": "consolidated-pair"},
        ("fabrics", "backend", "topology"),
        "no frontend shares the switches of backend",
    ),
    "networks_outside_are_routed": (
        {
            "fabrics.backend.topology": "consolidated-pair",
            "external.uplinks.campus": {**UPLINK, "fabric": "backend"},
        },
        ("external", "uplinks", "campus", "fabric"),
        "uplinks of a consolidated pair leave from its frontend, and backend is its backend",
    ),
    "sharers_have_no_switches": (
        {"fabrics.frontend.shares": "backend", "fabrics.frontend.switch": "nvidia-sn5600"},
        ("fabrics", "frontend", "switch"),
        "frontend runs on the switches of backend, whose switch differs",
    ),
    "what_belongs_to_switches_is_their_owners": (
        {"fabrics.frontend.shares": "backend", "fabrics.frontend.first_asn": 65001},
        ("fabrics", "frontend", "first_asn"),
        "first_asn is set for switches, and frontend has none of its own",
    ),
    "rack_names_are_unique": ({"racks.1": RIGHT["racks"][0]}, ("racks", 1, "name"), "the rack r1 is named twice"),
    "group_names_are_unique": (
        {"servers.1": RIGHT["servers"][0]},
        ("servers", 1, "group"),
        "the group gpu is named twice",
    ),
    "racks_of_a_group_are_named_once": (
        {"servers.0.rack": None, "servers.0.racks": ["r1", "r1"]},
        ("servers", 0, "racks", 1),
        "the rack r1 is named twice",
    ),
    "derived_names_are_short": (
        {"servers.0.group": "g" * 60},
        ("servers", 0, "group"),
        f"the derived name {'g' * 60}-002 has 64 characters, and 63 are allowed",
    ),
    "fabric_names_are_no_port_words": (
        {"fabrics.rail": again("frontend", role="frontend")},
        ("fabrics", "rail", KEY),
        "a fabric called rail would name its server ports rail0, rail1, ..., as other ports are named",
    ),
    "retired_servers_are_of_the_group": (
        {"servers.0.retired": ["gpu-004"]},
        ("servers", 0, "retired", 0),
        "gpu-004 is not a server of the group gpu",
    ),
    "groups_grow": (
        {"servers.0.grows_to": 1},
        ("servers", 0, "grows_to"),
        "grows_to is 1, and the group has 2 servers already",
    ),
    "racks_exist": ({"fabrics.oob.rack": "r9"}, ("fabrics", "oob", "rack"), "there is no rack r9"),
    "fabrics_exist": (
        {"servers.0.nics.backned": "broadcom-bcm57414-2x25g"},
        ("servers", 0, "nics", "backned", KEY),
        "there is no fabric backned",
    ),
    "topologies_exist": (
        {"fabrics.oob.topology": "ring"},
        ("fabrics", "oob", "topology"),
        "there is no topology ring",
    ),
    "models_exist": (
        {"racks.0.pdus.model": "apc-7"},
        ("racks", 0, "pdus", "model"),
        "'apc-7' is not in the catalogue's pdus",
    ),
    "release_exists": ({"release": "metrum-1999"}, ("release",), "'metrum-1999' is not a release"),
    "fabrics_have_a_role": (
        {"fabrics.office": again("frontend")},
        ("fabrics", "office", KEY),
        "the fabric office has no role",
    ),
    "devices_are_managed": (
        {"fabrics.oob": None},
        ("fabrics", KEY),
        "no fabric is out of band: switches, BMCs and PDUs could not be reached",
    ),
    "one_out_of_band_fabric_a_rack": (
        {"fabrics.bmcs": again("oob", role="oob")},
        ("fabrics", "bmcs", KEY),
        "rack r1 has two out-of-band fabrics, oob and bmcs",
    ),
    "fabrics_are_used": (
        {"servers.0.nics.frontend": None},
        ("fabrics", "frontend", KEY),
        "no server has an adapter for the fabric frontend",
    ),
    "adapters_have_slots": (
        {"fabrics.second": again("backend", role="backend"), "servers.0.nics.second": "broadcom-bcm57608-2x200g"},
        ("servers", 0, "nics", "second", KEY),
        "the backend slots of dell-xe9680-h200 already hold the adapters of backend",
    ),
    **BROKEN_UPLINKS,
    "prefixes_do_not_overlap": (
        {"external.uplinks.campus": {**UPLINK, "prefix": "10.20.3.0/30"}},
        ("external", "uplinks", "campus", "prefix"),
        "10.20.3.0/30 overlaps 10.20.0.0/16 of fabric frontend",
    ),
    "prefixes_are_for_hosts": (
        {"fabrics.oob.prefix": "169.254.0.0/16"},
        ("fabrics", "oob", "prefix"),
        "no host may have an address of 169.254.0.0/16: it is link-local (RFC 3927)",
    ),
    "vlans_do_not_overlap": (
        {"fabrics.frontend.first_vlan": 115},
        ("fabrics", "frontend", "first_vlan"),
        "VLAN 115 is used by fabric backend and fabric frontend",
    ),
    "vlans_end_below_the_last": (
        {"fabrics.backend.first_vlan": 4080},
        ("fabrics", "backend", "first_vlan"),
        "fabric backend takes 16 VLANs, 4080 to 4095; the highest VLAN is 4094",
    ),
    "lossless_classes_are_few": (
        roce(lossless=[{"priority": n, "dscp": [n]} for n in (1, 2, 3)], host_dscp=1),
        ("fabrics", "backend", "roce", "lossless"),
        "3 lossless classes are set, and Enterprise SONiC Distribution by Dell Technologies supports 2",
    ),
    "switches_have_lossless_buffers": (
        {"fabrics.oob.roce": {}},
        ("fabrics", "oob", "roce"),
        "PowerSwitch S3248T-ON has no lossless buffers, and the fabric oob carries RoCE",
    ),
    "adapters_speak_roce": (
        {"servers.0.nics.backend": "broadcom-bcm5720-2x1g"},
        ("servers", 0, "nics", "backend"),
        "BCM5720 2x1G (embedded) cannot do RoCE, and the fabric backend carries it",
    ),
    "priorities_are_used_once": (
        roce(cnp_priority=3),
        ("fabrics", "backend", "roce", "cnp_priority"),
        "congestion notifications have priority 3, which a lossless class has too",
    ),
    "code_points_are_used_once": (
        roce(cnp_dscp=24),
        ("fabrics", "backend", "roce", "cnp_dscp"),
        "congestion notifications have DSCP 24, which is in the lossless class 3",
    ),
    "hosts_mark_a_lossless_class": (
        roce(host_dscp=25),
        ("fabrics", "backend", "roce", "host_dscp"),
        "hosts mark RoCE data with DSCP 25, which is in no lossless class",
    ),
    "marking_begins_before_it_is_full": (
        roce(ecn={"kmin_bytes": 5, "kmax_bytes": 5}),
        ("fabrics", "backend", "roce", "ecn", "kmin_bytes"),
        "kmin_bytes is 5, and kmax_bytes is 5",
    ),
    "watchdog_times_are_in_order": (
        roce(pfc_watchdog={"poll_ms": 300}),
        ("fabrics", "backend", "roce", "pfc_watchdog", "detect_ms"),
        "detect_ms is 200 ms, and the watchdog polls every 300 ms",
    ),
    "bandwidth_is_shared": (
        roce(bandwidth_percent=100),
        ("fabrics", "backend", "roce", "bandwidth_percent"),
        "bandwidth_percent must be from 1 to 99, not 100",
    ),
    "flows_are_told_apart": (
        {"fabrics.backend.switch": "dell-s5232f-on", "servers.0.nics.backend": "nvidia-connectx6dx-2x100g"},
        ("fabrics", "backend", "roce", "load_balancing"),
        "PowerSwitch S5232F-ON does not hash on the RoCE queue pair",
    ),
    "release_goes_together": (
        {"servers.0.model": "dell-xe9680-mi300x"},
        ("release",),
        "The MI300X needs ROCm 6.0 or newer, but release metrum-2025 has no rocm",
    ),
    "memory_is_larger_than_that_of_the_accelerators": (
        {"servers.0.memory_gb": 1692},
        ("servers", 0, "memory_gb"),
        (
            "1692 GB of memory for 8 x 141 GB of NVIDIA H200 SXM: "
            "Dell's design guide (chapter 3) asks for more than 1.5 times as much, 1692 GB"
        ),
    ),
    "adapters_are_counted_where_there_are_some": (
        {"servers.0.nic_counts": {"oob": 2}},
        ("servers", 0, "nic_counts", "oob", KEY),
        "nic_counts names oob, and the group gpu has no adapter for it",
    ),
    "infiniband_has_no_ethernet_settings": (
        {**INFINIBAND, "fabrics.backend.mtu_bytes": 9000},
        ("fabrics", "backend", "mtu_bytes"),
        "IP over InfiniBand carries 4092 bytes at most, not 9000",
    ),
    "uplinks_lead_out_of_ethernet": (
        {**INFINIBAND, "external.uplinks.campus": {**UPLINK, "fabric": "backend"}},
        ("external", "uplinks", "campus", "fabric"),
        "backend is an InfiniBand fabric, and uplinks need Ethernet",
    ),
    "subnet_managers_are_servers_of_the_fabric": (
        {"fabrics.backend.ufm": ["gpu-001"]},
        ("fabrics", "backend", "ufm"),
        "UFM manages InfiniBand, and backend is Ethernet",
    ),
    "sites_have_racks_and_fabrics": (
        {"racks": None},
        ("racks",),
        "the key racks is missing at the top of the file",
    ),
    "servers_stand_somewhere": (
        {"servers.0.rack": None},
        ("servers", 0),
        "servers[0]: give either rack or racks",
    ),
    "hosted_sites_have_nothing_physical": (
        {"hosted": True, "servers": [HOSTED_GROUP], "fabrics": None},
        ("racks", KEY),
        "a hosted site has no racks: the racks are the provider's",
    ),
    "servers_are_hosted_where_the_site_is": (
        {"servers.0.model": "azure-nd-h100-v5"},
        ("servers", 0, "model"),
        "Standard_ND96isr_H100_v5 is a cloud's machine, and this site is not hosted",
    ),
    "storage_names_are_unique": (
        {"storage": [{**CLUSTER, "name": "gpu"}]},
        ("storage", 0, "name"),
        "gpu is the name of a group of servers already",
    ),
    "zones_name_one_cluster": (
        {
            "storage": [
                {**CLUSTER, "zone": "nas.example.com"},
                {**CLUSTER, "name": "scratch", "zone": "nas.example.com"},
            ]
        },
        ("storage", 1, "zone"),
        "nas.example.com is the zone of scale already",
    ),
    "clusters_have_a_size_that_exists": (
        {"storage": [{**CLUSTER, "nodes": 2}]},
        ("storage", 0, "nodes"),
        "a cluster of PowerScale F710 has 3 to 252 nodes",
    ),
    "storage_is_served_on_a_frontend": (
        {"storage": [{**CLUSTER, "fabric": "backend"}]},
        ("storage", 0, "fabric"),
        "the role of backend is backend, and storage serves on a frontend",
    ),
    "protocols_can_be_served": (
        {"storage": [{**CLUSTER, "protocol": "nfs-rdma"}]},
        ("storage", 0, "protocol"),
        "protocol nfs-rdma needs RoCE, and the fabric frontend has none",
    ),
    "storage_stands_somewhere": (
        {"storage": [{**CLUSTER, "rack": None}]},
        ("storage", 0),
        "storage[0]: give either rack or racks",
    ),
    "pinned_ports_exist": (
        {"pin.ports": {"gpu-001:rail16": "backend-leaf-01/Eth1/9/1"}},
        ("pin", "ports", "gpu-001:rail16", KEY),
        "gpu-001 has no port rail16",
    ),
    "pinned_ports_are_on_their_fabric": (
        {"pin.ports": {"gpu-001:bmc": "backend-leaf-01/Eth1/9/1"}},
        ("pin", "ports", "gpu-001:bmc"),
        "gpu-001:bmc is on the fabric out of band, and backend-leaf-01 is a switch of backend",
    ),
    "pinned_ports_do_not_collide": (
        {"pin.ports": {f"gpu-001:rail{n}": "backend-leaf-01/Eth1/9/1" for n in (0, 1)}},
        ("pin", "ports", "gpu-001:rail1"),
        "backend-leaf-01/Eth1/9/1 is pinned for gpu-001:rail0 and for gpu-001:rail1",
    ),
    "pinned_addresses_are_of_devices": (
        {"pin.addresses": {"r1-pdu-5:mgmt": "10.30.64.20"}},
        ("pin", "addresses", "r1-pdu-5:mgmt", KEY),
        "there is no device r1-pdu-5",
    ),
    "pinned_addresses_do_not_collide": (
        {"pin.addresses": {"gpu-001:rail0": "10.10.0.99", "backend-leaf-01:mgmt": "10.10.0.99"}},
        ("pin", "addresses", "backend-leaf-01:mgmt"),
        "10.10.0.99 is pinned for gpu-001:rail0 and for backend-leaf-01:mgmt",
    ),
    "pinned_asns_are_of_switches": (
        {"pin.asns": {"leaf-01": 65000}},
        ("pin", "asns", "leaf-01", KEY),
        "there is no switch leaf-01",
    ),
    "rdma_stacks_can_be_had": (
        {"servers.0.rdma_stack": "doca-ofed"},
        ("servers", 0, "rdma_stack"),
        "doca-ofed has no driver for the adapters of gpu",
    ),
    "hosts_set_roce_once": (
        {"fabrics.frontend.roce": {"host_dscp": 24}},
        ("fabrics", "frontend", "roce"),
        "gpu is on backend and frontend, whose RoCE settings differ",
    ),
    "ports_can_have_their_names": (
        {
            "servers.0.nics.customer-net": "broadcom-bcm57414-2x25g",
            "fabrics.customer-net": {**RIGHT["fabrics"]["frontend"], "role": "frontend", "prefix": "10.40.0.0/16"},
        },
        ("fabrics", "customer-net"),
        "the server port customer-net-bond0 has 18 characters, and Linux allows 15",
    ),
}
