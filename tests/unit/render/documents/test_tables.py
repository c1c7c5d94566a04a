"""Bill of materials, cable schedule, power and the other tables, against what the plan says."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from rackproof.plan.model.plan import Notice
from rackproof.render.documents import bill_of_materials, cable_schedule, labels, power, site_tables
from rackproof.render.documents.record import Record
from rackproof.render.documents.spreadsheet import sheet_name, workbook
from rackproof.render.documents.table import Table, columns
from tests.unit.render.documents.conftest import read_sheets, site_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.render.documents.record import File


def content(files: Iterator[File], path: str) -> bytes:
    return next(file.content for file in files if file.path == path)


def bill(record: Record) -> list[dict[str, str]]:
    text = content(bill_of_materials.files(record), "bill-of-materials.csv").decode()
    return list(csv.DictReader(io.StringIO(text)))


def quantities(rows: list[dict[str, str]], category: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        if row["category"] == category:
            found[row["model"]] += int(row["quantity"])
    return found


def test_the_bill_counts_what_the_plan_has(record: Record) -> None:
    plan, rows = record.plan, bill(record)

    servers = quantities(rows, "server") + quantities(rows, "hosted server")
    assert servers == Counter(server.model for server in plan.servers.values())
    assert quantities(rows, "switch") == Counter(switch.model for switch in plan.switches.values())
    assert quantities(rows, "PDU") == Counter(pdu.model for pdu in plan.pdus.values())
    assert quantities(rows, "rack") == Counter(rack.model for rack in plan.racks.values())
    assert quantities(rows, "cable") == Counter(assembly.cable for assembly in plan.assemblies)
    assert quantities(rows, "power cord") == Counter(cord.cord for cord in plan.cords)


def test_the_bill_of_two_servers(small: Record) -> None:
    rows = bill(small)

    # Eight Thor 2 and one frontend adapter a server; six cords a server, two a switch.
    assert quantities(rows, "network adapter") == {"broadcom-bcm57608-2x200g": 16, "broadcom-bcm57414-2x25g": 2}
    assert quantities(rows, "power cord").total() == 2 * 6 + 3 * 2
    assert ("MCP7Y40-N003", "3", "4") in {(row["part_number"], row["length_m"], row["quantity"]) for row in rows}


def test_an_adapter_is_counted_once_however_many_ports_it_has(small: Record) -> None:
    server = small.plan.servers["gpu-001"]
    own = structs.replace(server.ports["bmc"], name="nicbmc0", slot=server.ports["rail0"].slot)
    plan = replace(small.plan, servers={"gpu-001": replace(server, ports={**server.ports, "nicbmc0": own})})

    found = quantities(bill(Record(plan, small.catalogue)), "network adapter")

    assert found == {"broadcom-bcm57608-2x200g": 8, "broadcom-bcm57414-2x25g": 1}


def test_optics_are_counted_at_both_ends(small: Record) -> None:
    first = small.plan.assemblies[0]
    fibre = structs.replace(
        first, cable="nvidia-mfp7e20", trunk_transceiver="nvidia-mma4z00-ns", leg_transceiver="nvidia-mma1z00-ns400"
    )
    plan = replace(small.plan, assemblies=(structs.replace(fibre, legs=fibre.legs[:2]),))

    rows = bill(Record(plan, small.catalogue))

    assert quantities(rows, "optic") == {"nvidia-mma4z00-ns": 1, "nvidia-mma1z00-ns400": 2}


def test_what_has_no_part_number_says_so(record: Record) -> None:
    for row in bill(record):
        says_so = "no part number" in row["note"] or "rented, not ordered" in row["note"]
        assert bool(row["part_number"]) != says_so, row


def schedule_rows(record: Record) -> list[dict[str, str]]:
    sheets = read_sheets(content(cable_schedule.files(record), "cable-schedule.xlsx"))
    outside = ["networks outside"] if record.plan.uplinks else []
    assert [sheet.name for sheet in sheets] == [*record.plan.fabrics, *outside, "power cords"]
    return [row for sheet in sheets[: len(record.plan.fabrics)] for row in sheet.records()]


def test_ports_towards_networks_outside_have_a_sheet_and_labels(small: Record) -> None:
    sheets = read_sheets(content(cable_schedule.files(small), "cable-schedule.xlsx"))
    rows = next(sheet for sheet in sheets if sheet.name == "networks outside").records()

    assert [(row["Switch"], row["Port"]) for row in rows] == [(u.switch, u.port) for u in small.plan.uplinks]
    assert all(row["Rack"] and row["Unit"] for row in rows)
    heads = [label.head for fabric in small.plan.fabrics for label in labels.cable_labels(small, fabric)]
    assert len([head for head in heads if head.startswith("uplink-")]) == len(rows)


def test_every_link_is_in_the_schedule_once(record: Record) -> None:
    rows = schedule_rows(record)

    found = Counter(
        (row["Assembly"], row["Leg"], row["Leg device"], row["Leg port"], row["Switch port"]) for row in rows
    )
    wanted = {(link.assembly, str(link.leg), link.b.device, link.b.port, link.a.port) for link in record.plan.links}
    assert found == dict.fromkeys(wanted, 1)


def test_the_schedule_says_where_both_ends_stand(small: Record) -> None:
    row = next(row for row in schedule_rows(small) if (row["Assembly"], row["Leg"]) == ("backend-0005", "2"))

    assert {
        key: row[key] for key in ("Cable", "Part number", "Length m", "Trunk rack", "Trunk unit", "Trunk label")
    } == {
        "Cable": "nvidia-mcp7y40",
        "Part number": "MCP7Y40-N02A",
        "Length m": "2.5",
        "Trunk rack": "r1",
        "Trunk unit": "41",
        "Trunk label": "backend-0005 backend-leaf-01/Eth1/5",
    }
    assert (row["Leg rack"], row["Leg unit"], row["Leg label"]) == ("r1", "7", "backend-0005.2 gpu-002/rail1")


def test_every_cord_is_in_the_schedule_once(record: Record) -> None:
    sheet = read_sheets(content(cable_schedule.files(record), "cable-schedule.xlsx"))[-1]

    found = Counter((row["Device"], row["Supply"], row["PDU"], row["Outlet"]) for row in sheet.records())
    wanted = {(cord.device, str(cord.supply), cord.pdu, str(cord.outlet)) for cord in record.plan.cords}
    assert found == dict.fromkeys(wanted, 1)


def test_a_sheet_has_filter_frozen_heading_and_room_to_fill_in(small: Record) -> None:
    sheet = read_sheets(content(cable_schedule.files(small), "cable-schedule.xlsx"))[0]

    assert '<pane ySplit="1" topLeftCell="A2"' in sheet.xml
    assert "<autoFilter" in sheet.xml
    assert sheet.rows[0][-3:] == ["Installed by", "Tested", "Remarks"]
    assert '"pass,fail"' in sheet.xml


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2", "@SUM(A1)", "http://example.com", "007", "a\x0bb"])
def test_text_is_never_a_formula_or_a_link(text: str) -> None:
    sheet = read_sheets(workbook("test", [Table("t", "t", columns("a"), [(text,)])]))[0]

    assert sheet.rows[1] == [text.replace("\x0b", " ")]
    assert "<f>" not in sheet.xml
    assert "<hyperlink" not in sheet.xml


def test_sheet_names_are_short_and_differ() -> None:
    taken: set[str] = set()
    names = [sheet_name("a" * 40, taken), sheet_name("A" * 40, taken), sheet_name("b/c:d", taken)]

    assert names == ["a" * 31, "A" * 29 + "~2", "b-c-d"]


def test_feeds_add_up_to_what_their_pdus_carry(record: Record) -> None:
    table = next(table for table in power.tables(record) if table.name == "power-feeds")
    rows = {str(row[0]): row for row in table.rows}
    headings = [column.title for column in table.columns]

    normal_kw = sum(float(row[headings.index("normal: kW")] or 0) for row in rows.values())
    plan, catalogue = record.plan, record.catalogue
    bodies = [catalogue.server(server.model).body for server in plan.servers.values()]
    bodies += [catalogue.switch(switch.model).body for switch in plan.switches.values()]
    bodies += [
        catalogue.storage(node.model).body for cluster in plan.storage.values() for node in cluster.nodes.values()
    ]
    power_max_w = sum(body.power_max_w for body in bodies)
    assert normal_kw == pytest.approx(power_max_w / 1000, abs=0.2)
    assert set(rows) == ({"A", "B"} if plan.pdus else set())


def test_a_load_over_its_limit_never_reads_as_a_hundred(small: Record) -> None:
    row = structs.replace(small.plan.power[0], load_w=5760.1, limit_w=5760.0)

    assert power.percent(row) == 101


def test_warnings_come_first(small: Record) -> None:
    notices = (Notice("assumed", "a", "first"), Notice("warning", "b", "second"))
    table = site_tables.notices(Record(replace(small.plan, notices=notices), small.catalogue))

    assert [row[0] for row in table.rows] == ["warning", "assumed"]


def test_every_subnet_and_speaker_is_listed(record: Record) -> None:
    subnets = {(row[0], row[1]) for row in site_tables.subnets(record).rows}
    speakers = {row[0] for row in site_tables.asns(record).rows}

    assert subnets == {(f.name, subnet.name) for f in record.plan.fabrics.values() for subnet in f.subnets}
    assert speakers == {name for name, s in record.plan.switches.items() if s.intent and s.intent.bgp}


def licence_rows(record: Record) -> dict[str, dict[str, str]]:
    return {row["model"]: row for row in bill(record) if row["category"] == "licence"}


def test_licences_are_counted_where_a_source_says_what() -> None:
    found = licence_rows(site_record("dell-era-2-4-3"))

    assert found["nvidia-ai-enterprise"]["quantity"] == "16"
    assert "subscription of five years" in found["nvidia-ai-enterprise"]["note"]
    assert found["onefs"]["quantity"] == found["runai"]["quantity"] == ""
    assert "ask" in found["runai"]["note"]


def test_a_site_without_nvidia_has_no_licence_of_nvidias() -> None:
    assert licence_rows(site_record("metrum-mi300x")) == {}


def test_the_bill_says_what_leads_outside(small: Record) -> None:
    rows = {row["item"]: row["quantity"] for row in bill(small) if row["category"] == "uplink"}

    assert rows == {"100G cable and optics to campus": "1", "10G cable and optics to management": "1"}
