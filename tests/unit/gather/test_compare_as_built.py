"""What was found beside plan and record, where a whole machine would hide the point: hosted, virtual, nonsense."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.facts.hosts.ports import FoundPort, FoundServer
from rackproof.facts.hosts.smbios import serial_number, system_slots
from rackproof.gather.compare_as_built import Comparison, compare_server
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.site.as_built import AsBuiltServer
from rackproof.site.load import find_site

RAILS = tuple(
    FoundPort(f"ib{n}", None, 0, f"010{n + 1}:00:00.0", None, n // 4, f"mlx5_{n}", "15b3:101e") for n in range(8)
)
"""What an ND H100 v5 shows: a virtual function of each adapter, and no slots."""


@cache
def planned(site: str) -> PlannedSite:
    return plan_site(find_site(site))


def compared(site: str, server: str, *ports: FoundPort, recorded: AsBuiltServer | None = None) -> Comparison:
    one = planned(site)
    return compare_server(one.plan, server, FoundServer("A1", ports), recorded, one.catalogue)


def test_a_hosted_machine_is_known_by_its_addresses() -> None:
    found = compared("azure-nd-h100", "nd-001", *RAILS)

    assert found.contradictions == ()
    assert [(name, port.pci_address) for name, port in found.record.ports.items()] == [
        (f"rail{n}", f"010{n + 1}:00:00.0") for n in range(8)
    ]
    assert found.record.ports["rail3"].mac_address is None


@pytest.mark.parametrize(
    ("rails", "said"),
    [
        (RAILS[:7], "nd-001:rail7: ConnectX-7 1x400G NDR InfiniBand OSFP is not where this size of machine has it"),
        (
            (*RAILS[:7], replace(RAILS[7], device_id="14e4:1760")),
            "nd-001:rail7: its adapter is 14e4:1760, and ConnectX-7 1x400G NDR InfiniBand OSFP is 15b3:1021",
        ),
    ],
)
def test_a_hosted_machine_of_another_size(rails: tuple[FoundPort, ...], said: str) -> None:
    assert [str(one) for one in compared("azure-nd-h100", "nd-001", *rails).contradictions] == [said]


def test_stand_ins_of_a_lab_are_taken() -> None:
    ports = [
        FoundPort(
            f"ens{n}",
            port.slot,
            port.port,
            f"0000:{0x40 + n:02x}:00.0",
            f"02:00:00:00:00:{n:02x}",
            None,
            None,
            "1af4:1041",
        )
        for n, port in enumerate(planned("metrum-h200").plan.servers["gpu-001"].ports.values())
        if port.slot is not None
    ]

    found = compared("metrum-h200", "gpu-001", *ports)

    assert found.contradictions == ()
    assert len(found.record.ports) == 18
    assert all(port.stands_in for port in found.record.ports.values())


def test_the_same_again_is_no_news() -> None:
    first = compared("azure-nd-h100", "nd-001", *RAILS)

    assert len(first.news) == 9
    assert compared("azure-nd-h100", "nd-001", *RAILS, recorded=first.record).news == ()


@settings(max_examples=200)
@given(st.binary(max_size=200) | st.builds(lambda body: b"\x09\x11\x00\x00" + body + b"\0\0", st.binary(max_size=40)))
def test_nonsense_of_a_firmware_breaks_nothing(table: bytes) -> None:
    assert isinstance(system_slots(table), tuple)
    assert serial_number(table) is None or serial_number(table)
