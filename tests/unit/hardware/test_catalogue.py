"""Every file of the catalogue loads, and what its entries say fits together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.paths import HARDWARE
from rackproof.types import split_breakout

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import CableModel, Entry, PduModel, ServerModel, SwitchModel

CATALOGUE: Final = Catalogue()
LOOK_UPS: Final[dict[str, Callable[[str], Entry]]] = {
    "servers": CATALOGUE.server,
    "switches": CATALOGUE.switch,
    "nics": CATALOGUE.nic,
    "racks": CATALOGUE.rack,
    "pdus": CATALOGUE.pdu,
    "cables": CATALOGUE.cable,
    "cords": CATALOGUE.cord,
    "transceivers": CATALOGUE.transceiver,
    "nos": CATALOGUE.nos,
}
FILES: Final = sorted((file.parent.name, file.stem) for file in HARDWARE.glob("*/*.yaml"))
FIBRE_PLUGS: Final = {"mpo12-apc"}
INLET_OF_SOCKET: Final = {"c13": "c14", "c15": "c14", "c19": "c20", "c21": "c22"}

SERVERS: Final = [CATALOGUE.server(name) for name in CATALOGUE.names("servers")]
SWITCHES: Final = [CATALOGUE.switch(name) for name in CATALOGUE.names("switches")]
PDUS: Final = [CATALOGUE.pdu(name) for name in CATALOGUE.names("pdus")]


@pytest.mark.parametrize(("kind", "name"), FILES, ids=lambda value: value)
def test_every_file_loads(kind: str, name: str) -> None:
    entry = LOOK_UPS[kind](name)

    assert entry.model == name


@pytest.mark.parametrize("kind", LOOK_UPS)
def test_every_kind_has_models(kind: str) -> None:
    assert CATALOGUE.names(kind)


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.model)
def test_server_slots_give_one_adapter_to_each_gpu(server: ServerModel) -> None:
    backend = [slot for slot in server.slots if slot.fabric == "backend"]

    assert sorted(slot.slot for slot in server.slots) == list(range(31, 41))
    assert [slot.gpus for slot in backend] == [(gpu,) for gpu in range(server.gpus.count)]
    assert len({slot.pci_address for slot in server.slots}) == len(server.slots)
    assert CATALOGUE.nic(server.embedded.nic).cage == "rj45"


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.model)
def test_server_supplies_carry_its_largest_load(server: ServerModel) -> None:
    supplies = server.power_supplies

    assert supplies.needed * supplies.power_w >= server.body.power_max_w
    assert supplies.needed_throttled == supplies.count // 2


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.model)
def test_switch_supply_carries_it_alone(switch: SwitchModel) -> None:
    assert switch.power_supplies.power_w >= switch.body.power_max_w
    assert all(CATALOGUE.nos(nos).model == nos for nos in switch.nos)


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
    assert cable.trunk.lanes == cable.legs * cable.leg.lanes
    assert cable.leg.lanes * cable.leg.lane_gbps == cable.speed_gbps
    assert list(cable.lengths_m) == sorted(set(cable.lengths_m))
    assert {float(length) for length in cable.part_numbers} <= set(cable.lengths_m)


@pytest.mark.parametrize("cable", CATALOGUE.cables(), ids=lambda cable: cable.model)
def test_cable_plugs_fit_something(cable: CableModel) -> None:
    cages = {module for switch in SWITCHES for ports in switch.ports for module in ports.modules}
    cages |= {module for name in CATALOGUE.names("nics") for module in CATALOGUE.nic(name).modules}

    assert {cable.trunk.module, cable.leg.module} <= cages | FIBRE_PLUGS


@pytest.mark.parametrize(
    ("switch", "nic"),
    [
        ("dell-z9864f-on", "broadcom-bcm57608-2x200g"),
        ("dell-z9664f-on", "broadcom-bcm57608-2x200g"),
        ("dell-s5232f-on", "broadcom-bcm57414-2x25g"),
        ("dell-s3248t-on", "broadcom-bcm5720-2x1g"),
    ],
)
def test_a_cable_joins_switch_and_adapter(switch: str, nic: str) -> None:
    adapter = CATALOGUE.nic(nic)
    ports = CATALOGUE.switch(switch).port_range(1)
    lanes_of_plug = {adapter.cage: adapter.lanes} | adapter.lanes_by_module

    fitting = [
        cable.model
        for cable in CATALOGUE.cables()
        if cable.trunk.module in ports.modules
        and cable.leg.lanes == lanes_of_plug.get(cable.leg.module)
        and cable.speed_gbps == adapter.speed_gbps
    ]

    assert fitting


@pytest.mark.parametrize("device", [*SERVERS, *SWITCHES], ids=lambda device: device.model)
def test_a_cord_fits_every_supply(device: ServerModel | SwitchModel) -> None:
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
