"""Every file of the catalogue loads, and what its entries say fits together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.paths import HARDWARE
from rackproof.types import split_breakout

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import (
        CableModel,
        Entry,
        PduModel,
        ServerModel,
        StorageModel,
        SwitchModel,
        TransceiverModel,
    )

CATALOGUE: Final = Catalogue()
LOOK_UPS: Final[dict[str, Callable[[str], Entry]]] = {
    "servers": CATALOGUE.server,
    "switches": CATALOGUE.switch,
    "nics": CATALOGUE.nic,
    "racks": CATALOGUE.rack,
    "pdus": CATALOGUE.pdu,
    "cables": CATALOGUE.cable,
    "cords": CATALOGUE.cord,
    "licences": CATALOGUE.licence,
    "transceivers": CATALOGUE.transceiver,
    "storage": CATALOGUE.storage,
    "nos": CATALOGUE.nos,
}
FILES: Final = sorted((file.parent.name, file.stem) for file in HARDWARE.glob("*/*.yaml"))
FIBRE: Final = {"mmf", "smf"}
INLET_OF_SOCKET: Final = {"c13": "c14", "c15": "c14", "c19": "c20", "c21": "c22"}

SERVERS: Final = [CATALOGUE.server(name) for name in CATALOGUE.names("servers")]
SWITCHES: Final = [CATALOGUE.switch(name) for name in CATALOGUE.names("switches")]
STORAGE: Final = [CATALOGUE.storage(name) for name in CATALOGUE.names("storage")]
RACKED: Final = [server for server in SERVERS if not server.hosted]
FIBRES: Final = [cable for cable in CATALOGUE.cables() if cable.media in FIBRE]
PDUS: Final = [CATALOGUE.pdu(name) for name in CATALOGUE.names("pdus")]


@pytest.mark.parametrize(("kind", "name"), FILES, ids=lambda value: value)
def test_every_file_loads(kind: str, name: str) -> None:
    entry = LOOK_UPS[kind](name)

    assert entry.model == name


@pytest.mark.parametrize("kind", LOOK_UPS)
def test_every_kind_has_models(kind: str) -> None:
    assert CATALOGUE.names(kind)


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.model)
def test_every_gpu_is_nearest_to_one_backend_slot(server: ServerModel) -> None:
    backend = [slot for slot in server.slots if slot.fabric == "backend"]
    known = [slot.pci_address for slot in server.slots if slot.pci_address]

    assert [gpu for slot in backend for gpu in slot.gpus] == list(range(server.gpus.count))
    assert len({len(slot.gpus) for slot in backend}) <= 1, "every adapter serves as many GPUs"
    assert len({slot.slot for slot in server.slots}) == len(server.slots)
    assert len(set(known)) == len(known)


@pytest.mark.parametrize(
    ("model", "gpus", "adapters", "frontend"),
    [
        ("dell-xe9680-h200", 8, 8, 2),
        ("dell-xe9680-h100", 8, 8, 2),
        ("dell-xe9680-h100-ndr", 8, 4, 2),
        ("dell-xe9680-mi300x", 8, 8, 2),
        ("dell-r760xa-h100nvl", 4, 2, 2),
        ("dell-r760xa-l40s", 4, 2, 2),
        ("dell-r660", 0, 0, 2),
        ("azure-nd-h100-v5", 8, 8, 0),
    ],
)
def test_servers_take_the_adapters_of_their_sources(model: str, gpus: int, adapters: int, frontend: int) -> None:
    server = CATALOGUE.server(model)
    fabrics = [slot.fabric for slot in server.slots]

    assert (server.gpus.count, fabrics.count("backend"), fabrics.count("frontend")) == (gpus, adapters, frontend)


@pytest.mark.parametrize("server", RACKED, ids=lambda server: server.model)
def test_server_supplies_carry_its_largest_load(server: ServerModel) -> None:
    supplies = server.power_supplies

    assert supplies.needed * supplies.power_w >= server.body.power_max_w
    assert supplies.needed_throttled == supplies.count // 2
    assert CATALOGUE.nic(server.embedded.nic).cage == "rj45"


def test_a_hosted_machine_takes_nothing_of_ours() -> None:
    server = CATALOGUE.server("azure-nd-h100-v5")

    assert server.hosted
    assert (server.body.rack_units, server.body.power_max_w, server.power_supplies.count, server.bmc) == (0, 0, 0, "")


@pytest.mark.parametrize("storage", STORAGE, ids=lambda storage: storage.model)
def test_storage_has_a_network_of_its_own(storage: StorageModel) -> None:
    assert (storage.nodes_min, storage.nodes_max) == (3, 252)
    assert storage.power_supplies.needed * storage.power_supplies.power_w >= storage.body.power_max_w
    assert storage.backend.ports == storage.backend_switches, "a node has a port to each back-end switch"
    small, large = (CATALOGUE.switch(name).ports[0] for name in (storage.backend_switch, storage.large_backend_switch))
    for ports in (small, large):
        assert set(storage.backend.modules) & set(ports.modules)
        assert storage.backend.speed_gbps == ports.speed_gbps
    assert small.last < large.last
    assert large.last * (large.last // 2) >= storage.nodes_max, "leaves and spines of it hold the largest cluster"


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.model)
def test_switch_supply_carries_it_alone(switch: SwitchModel) -> None:
    assert switch.power_supplies.power_w >= switch.body.power_max_w
    assert all(CATALOGUE.nos(nos).model == nos for nos in switch.nos)
    assert bool(switch.hwsku) == bool({"enterprise-sonic", "sonic"} & set(switch.nos))


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.model)
def test_switch_ports_are_numbered_without_gaps(switch: SwitchModel) -> None:
    numbers = [port for ports in switch.ports for port in range(ports.first, ports.last + 1)]

    assert numbers == list(range(1, len(numbers) + 1))
    assert all(switch.port_range(port).first <= port for port in numbers)
    assert all(ports.modules[0] == ports.cage for ports in switch.ports)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.model)
def test_switch_breakouts_share_lanes_evenly(switch: SwitchModel) -> None:
    for ports in switch.ports:
        for breakout in ports.breakouts:
            children, speed_gbps = split_breakout(breakout.mode)
            assert breakout.lanes <= ports.lanes
            assert breakout.lanes % children == 0
            assert children * speed_gbps <= ports.speed_gbps
            assert ports.sonic_step % children == 0, "every child port has a SONiC number of its own"
            assert not (breakout.blocks_neighbour and breakout.sonic_mode), "SONiC has no such split"
        assert ports.breakouts or not ports.always_split


def test_splitting_an_sn5600_port_eightfold_takes_the_next_one_too() -> None:
    ports = CATALOGUE.switch("nvidia-sn5600").port_range(1)
    children = {breakout.mode: split_breakout(breakout.mode)[0] for breakout in ports.breakouts}
    most = max(
        children[breakout.mode] * (ports.last - ports.first + 1) // (2 if breakout.blocks_neighbour else 1)
        for breakout in ports.breakouts
    )

    assert {mode for mode, count in children.items() if count == 8} == {
        breakout.mode for breakout in ports.breakouts if breakout.blocks_neighbour
    }
    assert most == 256


@pytest.mark.parametrize("switch", [switch for switch in SWITCHES if switch.link_layer == "infiniband"])
def test_an_unmanaged_infiniband_switch_takes_no_configuration(switch: SwitchModel) -> None:
    (nos,) = [CATALOGUE.nos(name) for name in switch.nos]

    assert not nos.configured
    assert nos.netmiko_device_type == ""
    assert switch.management_port == "none"
    assert switch.buffers is None


@pytest.mark.parametrize("switch", [switch for switch in SWITCHES if switch.buffers], ids=lambda switch: switch.model)
def test_headroom_grows_with_the_cable(switch: SwitchModel) -> None:
    assert switch.buffers is not None
    for speed_gbps in {row.speed_gbps for row in switch.buffers.headroom}:
        rows = sorted(
            (row.cable_length_m, row.xoff_bytes) for row in switch.buffers.headroom if row.speed_gbps == speed_gbps
        )
        assert [length for length, _ in rows] == [5, 40, 300]
        assert [xoff for _, xoff in rows] == sorted(xoff for _, xoff in rows)


@pytest.mark.parametrize("cable", CATALOGUE.cables(), ids=lambda cable: cable.model)
def test_cable_legs_use_the_trunk(cable: CableModel) -> None:
    trunk_gbps = cable.trunk.lanes * cable.trunk.lane_gbps

    assert trunk_gbps == cable.legs * cable.leg.lanes * cable.leg.lane_gbps
    assert cable.trunk.lane_gbps == cable.leg.lane_gbps or cable.media == "aec", "only a gearbox changes the lane rate"
    assert cable.leg.lanes * cable.leg.lane_gbps == cable.speed_gbps
    assert list(cable.lengths_m) == sorted(set(cable.lengths_m))
    assert {float(length) for length in cable.part_numbers} <= set(cable.lengths_m)


@pytest.mark.parametrize("cable", CATALOGUE.cables(), ids=lambda cable: cable.model)
def test_cable_plugs_fit_something(cable: CableModel) -> None:
    cages = {module for switch in SWITCHES for ports in switch.ports for module in ports.modules}
    cages |= {module for name in CATALOGUE.names("nics") for module in CATALOGUE.nic(name).modules}
    connectors = {optic.connector for optic in CATALOGUE.transceivers() if optic.media == cable.media}

    assert {cable.trunk.module, cable.leg.module} <= (connectors if cable.media in FIBRE else cages)


@pytest.mark.parametrize("optic", CATALOGUE.transceivers(), ids=lambda optic: optic.model)
def test_an_optic_shares_its_lanes_over_its_connectors(optic: TransceiverModel) -> None:
    lanes = optic.lanes // optic.connectors
    fibres = [cable for cable in FIBRES if optic.media == cable.media]

    assert optic.lanes % optic.connectors == 0
    assert optic.lanes * optic.lane_gbps == optic.speed_gbps
    assert optic.connector_lanes[:1] in {(), (lanes,)}
    for used in optic.connector_lanes or (lanes,):
        ends = {(end.module, end.lanes) for cable in fibres for end in (cable.trunk, cable.leg)}
        assert (optic.connector, used) in ends or used < lanes


def legs_of_twin_port(optic: TransceiverModel, fibre: CableModel) -> tuple[int, int]:
    """Child ports and speed of each, of a switch port whose optic has the same fibre in every connector."""
    return optic.connectors * fibre.legs, round(fibre.leg.lanes * optic.lane_gbps)


@pytest.mark.parametrize(
    ("switch_optic", "fibre", "nic_optic", "nic"),
    [
        ("nvidia-mma4z00-ns", "nvidia-mfp7e10", "nvidia-mma1z00-ns400", "nvidia-b3140h"),
        ("nvidia-mms4x00-ns", "nvidia-mfp7e30", "nvidia-mms1x00-ns400", "nvidia-b3140h"),
        ("nvidia-mma4z00-ns", "nvidia-mfp7e20", "nvidia-mma1z00-ns400", "nvidia-b3220l"),
        ("nvidia-mms4x00-ns", "nvidia-mfp7e40", "nvidia-mms1x00-ns400", "nvidia-b3220l"),
        ("nvidia-mma4z00-ns", "nvidia-mfp7e10", "nvidia-mma4z00-ns400", "nvidia-connectx7-ndr"),
        ("nvidia-mms4x00-ns", "nvidia-mfp7e30", "nvidia-mms4x00-ns400", "nvidia-connectx7-ndr"),
    ],
)
def test_two_fibres_under_a_twin_port_optic(switch_optic: str, fibre: str, nic_optic: str, nic: str) -> None:
    near, cable, far = CATALOGUE.transceiver(switch_optic), CATALOGUE.cable(fibre), CATALOGUE.transceiver(nic_optic)
    adapter, ports = CATALOGUE.nic(nic), CATALOGUE.switch("nvidia-sn5600").port_range(1)
    legs, speed_gbps = legs_of_twin_port(near, cable)

    assert near.connectors == 2
    assert f"{legs}x{speed_gbps}G" in {breakout.mode for breakout in ports.breakouts}
    assert speed_gbps == adapter.speed_gbps
    assert cable.leg.lanes in far.connector_lanes
    assert far.module in adapter.modules
    assert (near.connector, far.connector) == (cable.trunk.module, cable.leg.module)


@pytest.mark.parametrize(
    ("switch", "nic"),
    [
        ("dell-z9864f-on", "broadcom-bcm57608-2x200g"),
        ("dell-z9664f-on", "broadcom-bcm57608-2x200g"),
        ("dell-s5232f-on", "broadcom-bcm57414-2x25g"),
        ("dell-s3248t-on", "broadcom-bcm5720-2x1g"),
        ("nvidia-sn5600", "nvidia-b3140h"),
        ("nvidia-sn5600", "nvidia-b3220l"),
        ("nvidia-sn5600", "nvidia-connectx6dx-2x100g"),
        ("dell-s5232f-on", "nvidia-connectx6dx-2x100g"),
        ("nvidia-qm9790", "nvidia-connectx7-ndr"),
        ("nvidia-sn2201", "broadcom-bcm5720-2x1g"),
    ],
)
def test_a_cable_joins_switch_and_adapter(switch: str, nic: str) -> None:
    adapter = CATALOGUE.nic(nic)
    ports = CATALOGUE.switch(switch).port_range(1)
    lanes_of_plug = {adapter.cage: adapter.lanes} | adapter.lanes_by_module

    fitting = [
        cable.model
        for cable in CATALOGUE.cables()
        if adapter.link_layer in cable.link_layers
        and cable.trunk.module in ports.modules
        and cable.leg.lanes == lanes_of_plug.get(cable.leg.module)
        and cable.speed_gbps == adapter.speed_gbps
    ]

    assert fitting


def test_the_cable_that_the_design_guide_names_does_not_go_into_its_switch() -> None:
    cable = CATALOGUE.cable("qsfp-dd-qsfp112-400g")
    sn5600 = CATALOGUE.switch("nvidia-sn5600")

    assert cable.leg.module in CATALOGUE.nic("nvidia-b3220l").modules
    assert not any(cable.trunk.module in ports.modules for ports in sn5600.ports)


@pytest.mark.parametrize("device", [*RACKED, *SWITCHES, *STORAGE], ids=lambda device: device.model)
def test_a_cord_fits_every_supply(device: ServerModel | SwitchModel | StorageModel) -> None:
    inlets = {INLET_OF_SOCKET[cord.socket] for cord in CATALOGUE.cords()}

    assert device.power_supplies.inlet in inlets


@pytest.mark.parametrize("pdu", PDUS, ids=lambda pdu: pdu.model)
def test_pdu_ratings_agree(pdu: PduModel) -> None:
    assert pdu.phases * pdu.voltage_v * pdu.current_a == pytest.approx(pdu.power_w, rel=0.01)
    assert {group.phase for group in pdu.outlets} == {"L1", "L2", "L3"}
    for breaker in {group.breaker for group in pdu.outlets}:
        assert len({group.phase for group in pdu.outlets if group.breaker == breaker}) == 1


def test_every_nos_answers_for_every_feature() -> None:
    systems = [CATALOGUE.nos(name) for name in CATALOGUE.names("nos")]

    assert len({frozenset(nos.features) for nos in systems}) == 1
    for nos in systems:
        for feature, answer in nos.features.items():
            assert answer is True or len(str(answer)) > len(feature), "false needs a sentence that says why"


def test_memory_of_the_seeds_against_gpu_memory() -> None:
    h200, mi300x = CATALOGUE.server("dell-xe9680-h200"), CATALOGUE.server("dell-xe9680-mi300x")

    assert h200.memory_gb >= 1.5 * h200.gpus.count * h200.gpus.memory_gb
    assert mi300x.memory_gb < 1.5 * mi300x.gpus.count * mi300x.gpus.memory_gb


def test_adaptive_routing_needs_adapters_that_take_data_out_of_order() -> None:
    able = {name for name in CATALOGUE.names("nics") if CATALOGUE.nic(name).out_of_order}
    speeds = {switch.model: switch.adaptive_routing_gbps for switch in SWITCHES if switch.adaptive_routing_gbps}

    assert able == {"nvidia-b3140h", "nvidia-b3220l", "nvidia-connectx7-ndr"}
    assert speeds == {"nvidia-sn5600": (200, 400)}


@pytest.mark.parametrize("name", CATALOGUE.names("nics"))
def test_only_bluefield_has_a_management_controller_of_its_own(name: str) -> None:
    nic = CATALOGUE.nic(name)

    assert nic.bmc_ports == int("BlueField" in nic.name)
