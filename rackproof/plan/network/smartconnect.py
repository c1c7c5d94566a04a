"""SmartConnect: the subnets, pools and service addresses of a storage cluster's front end."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from rackproof.plan.model.plan import SubnetPlan
from rackproof.plan.model.storage import StoragePool
from rackproof.plan.network.addressing import Endpoint, FabricAddresses, service_key
from rackproof.site.derived import node_names
from rackproof.site.models import Storage


def storage_pools(asked: Storage, addresses: FabricAddresses, mtu_bytes: int | None) -> Iterator[StoragePool]:
    """Yield the pools of a cluster, one a subnet of its fabric that its nodes have addresses in.

    Parameters
    ----------
    addresses
        Of the fabric it serves on.
    mtu_bytes
        Of hosts on that fabric.
    """
    names = frozenset(node_names(asked))
    by_subnet: dict[str, list[IPv4Address]] = {}
    for key, host in {**addresses.hosts, **addresses.kept}.items():
        if key.partition(":")[0] in names:
            interface = IPv4Interface(host.address)
            by_subnet.setdefault(str(interface.network), []).append(interface.ip)
    tagged = {
        str(IPv4Interface(addresses.services[name].address).network) for name in names & addresses.services.keys()
    }
    for subnet in addresses.subnets:
        if subnet.prefix in by_subnet:
            own = subnet.prefix in tagged
            yield StoragePool(
                fabric=subnet.fabric,
                subnet=subnet.name,
                serves=own or not tagged,
                vlan=subnet.vlan if own else None,
                prefix=subnet.prefix,
                gateway=subnet.gateway,
                mtu_bytes=mtu_bytes,
                service_address=addresses.hosts[service_key(asked.name, subnet.name)].address,
                ranges=tuple(_ranges(by_subnet[subnet.prefix])),
                interfaces=tuple(_interfaces(subnet, names, addresses, tagged=own)),
            )


def _ranges(addresses: Sequence[IPv4Address]) -> Iterator[str]:
    """Yield runs of consecutive addresses."""
    first = last = None
    for address in sorted(addresses):
        if last is not None and int(address) == int(last) + 1:
            last = address
            continue
        if first is not None:
            yield f"{first}-{last}"
        first = last = address
    yield f"{first}-{last}"


def _interfaces(subnet: SubnetPlan, names: Iterable[str], addresses: FabricAddresses, *, tagged: bool) -> Iterator[str]:
    """Yield the ports of a node in a subnet, each once."""
    network, members = IPv4Network(subnet.prefix), frozenset(names)
    own = (endpoint for endpoint in addresses.endpoints if endpoint.device in members)
    here = (e for e in own if tagged or IPv4Interface(addresses.hosts[e.key].address).ip in network)
    yield from dict.fromkeys(_interface(endpoint) for endpoint in here)


def _interface(endpoint: Endpoint) -> str:
    """Return what ``isi network interfaces list`` calls a port or a bond of a node: 100gige-1, 100gige-agg-1."""
    first = endpoint.members[0]
    return f"{first.speed_gbps}gige-{'agg-1' if endpoint.bonded else first.number + 1}"
