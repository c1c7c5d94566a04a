"""The program that sets adapters, with commands that answer as dcb(8) and mlnx_qos print."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.paths import ROOT
from rackproof.render.managed_files import managed_files
from tests.unit.roles.inventory_variables import GPU_SERVER

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

ASKED: dict[str, Any] = {
    "provider": "dcb",
    "priority": 3,
    "dscp": 26,
    "cnp_priority": 6,
    "cnp_dscp": 48,
    "bandwidth_percent": 50,
    "ports": [
        {"name": "rail0", "rdma_device": "rdma_rail0", "driver": "x", "device_id": "1", "adaptive_routing": False}
    ],
}
PFC = "pfc-cap 8 macsec-bypass off delay 0\nprio-pfc 0:off 1:off 2:off 3:{} 4:off 5:off 6:off 7:off\n"
ETS = """willing off ets-cap 3 cbs off
tc-bw 0:50 1:50 2:0
pg-bw 0:0 1:0 2:0
tc-tsa 0:ets 1:ets 2:strict
prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:{} 7:0
reco-tc-bw 0:0 1:0 2:0
reco-prio-tc 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
"""
RAILS: dict[str, int | None] = {"rail0": 0, "rail1": 1, "frontend0": None}
APP = "dgram-port-prio 4791:3\ndscp-prio 26:3 48:{}\n"
QOS = """Priority trust state: {}
PFC configuration:
        priority    0   1   2   3   4   5   6   7
        enabled     0   0   0   {}   0   0   0   0
"""
MLXCONFIG = """Configurations:                          Default             Current             Next Boot
        INTERNAL_CPU_MODEL               EMBEDDED_CPU(1)     EMBEDDED_CPU(1)     EMBEDDED_CPU(1)
        INTERNAL_CPU_OFFLOAD_ENGINE      ENABLED(0)          ENABLED(0)          ENABLED(0)
        ROCE_ADAPTIVE_ROUTING_EN         False(0)            True(1)             False(0)
*       USER_PROGRAMMABLE_CC             False(0)            False(0)            True(1)
        TX_SCHEDULER_LOCALITY_MODE       DEVICE_DEFAULT(0)   STATIC_MODE(2)      STATIC_MODE(2)
"""
"""As mlxconfig prints it with -e: what waits for a restart has a star before it (NVIDIA MFT, mlxconfig, query)."""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("nic_roce", ROOT / "roles" / "nic_roce" / "files" / "nic_roce.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "CONFIGFS", tmp_path)
    base = tmp_path / "rdma_cm" / "rdma_rail0" / "ports" / "1"
    base.mkdir(parents=True)
    (base / "default_roce_mode").write_text("RoCE v2\n")
    (base / "default_roce_tos").write_text("104\n")
    monkeypatch.setattr(module, "absent", lambda _asked: [])
    return module


class Commands:
    """Stands for the commands of an adapter: what each shows, and what it was told."""

    def __init__(self, **shown: str) -> None:
        self.shown = shown
        self.told: list[str] = []

    def __call__(self, *command: str) -> str:
        words = [word for word in command if word != "-N"]
        if "set" in words or "replace" in words or "--pfc" in words or "--trust" in words:
            self.told.append(" ".join(command))
            return ""
        return self.shown[words[1] if words[0] == "dcb" else words[0]]


def test_an_adapter_that_is_as_meant_is_left_alone(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    commands = Commands(pfc=PFC.format("on"), ets=ETS.format(2), app=APP.format(6))
    program.__dict__["run"] = commands

    program.do("check", ASKED, 0)

    assert capsys.readouterr().out == ""


def test_what_differs_is_told_and_set(program: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    commands = Commands(pfc=PFC.format("off"), ets=ETS.format(0), app=APP.format(7))
    program.__dict__["run"] = commands
    tos = tmp_path / "rdma_cm" / "rdma_rail0" / "ports" / "1" / "default_roce_tos"
    tos.write_text("0\n")

    program.do("check", ASKED, 0)
    checked = capsys.readouterr().out
    assert commands.told == []
    program.do("apply", ASKED, 0)

    assert capsys.readouterr().out == checked
    assert "rail0: default_roce_tos is 0, required 104" in checked
    assert tos.read_text() == "104"
    assert commands.told == [
        "dcb pfc set dev rail0 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off",
        "dcb ets set dev rail0 tc-tsa 0:ets 1:ets 2:strict tc-bw 0:50 1:50 2:0 prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:0",
        "dcb app replace dev rail0 dscp-prio 48:6",
    ]


def test_an_adapter_without_dcb_is_said_to_be_one(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_command: str) -> str:
        raise program.CommandError("RTNETLINK answers: Operation not supported")

    program.__dict__["run"] = refuse
    program.do("check", ASKED, 0)
    assert capsys.readouterr().out == ""
    program.do("facts", ASKED, 0)

    assert capsys.readouterr().out == "rail0: PFC, ETS and trust are not supported by this NIC (x)\n"


def test_nvidia_adapters_trust_dscp(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {**ASKED, "provider": "mlnx_qos"}
    commands = Commands(mlnx_qos=QOS.format("pcp", 0))
    program.__dict__["run"] = commands

    program.do("apply", asked, 0)

    assert "trust is pcp, required dscp" in capsys.readouterr().out
    assert commands.told == ["mlnx_qos -i rail0 --trust dscp", "mlnx_qos -i rail0 --pfc 0,0,0,1,0,0,0,0"]


@pytest.mark.parametrize(("vendor", "path"), [("nvidia", "/etc/nccl.conf"), ("amd", "/etc/rccl.conf")])
def test_collectives_are_told_traffic_class_and_rails_and_no_gid_index(vendor: str, path: str) -> None:
    ports = [{**ASKED["ports"][0], "rdma_device": f"rdma_{name}", "rail": rail} for name, rail in RAILS.items()]
    variables = {**GPU_SERVER, "nic_roce_ports": ports, "gpu_driver_vendor": vendor}

    written = {file.path: file.content for file in managed_files(ROOT / "roles" / "nic_roce", variables)}

    assert [name for name in written if name.endswith("ccl.conf")] == [path]
    assert written[path].splitlines()[1:] == ["NCCL_IB_TC=104", "NCCL_IB_HCA==rdma_rail0,rdma_rail1"]


def test_firmware_of_bluefield_takes_its_mode_at_a_restart_that_is_asked_for(
    program: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the next boot: a value that only waits for its restart is not set again."""
    reason = tmp_path / "asked" / "nic_roce"
    monkeypatch.setattr(program, "REASON", reason)
    port = {**ASKED["ports"][0], "device_id": "a2dc", "adaptive_routing": True}
    commands = Commands(mlnx_qos=QOS.format("dscp", 1), mlxconfig=MLXCONFIG)
    program.__dict__["run"] = commands

    program.do("apply", {**ASKED, "provider": "mlnx_qos", "ports": [port]}, 0)

    assert [line for line in capsys.readouterr().out.splitlines() if "firmware" in line] == [
        "rail0: firmware INTERNAL_CPU_OFFLOAD_ENGINE is 0, required 1",
        "rail0: firmware ROCE_ADAPTIVE_ROUTING_EN is 0, required 1",
    ]
    assert [line.rpartition(" ")[2] for line in commands.told if line.startswith("mlxconfig")] == [
        "INTERNAL_CPU_OFFLOAD_ENGINE=1",
        "ROCE_ADAPTIVE_ROUTING_EN=1",
    ]
    assert "has new settings" in reason.read_text()


def test_adapters_that_are_no_bluefield_are_not_asked_for_their_firmware(program: ModuleType) -> None:
    program.__dict__["run"] = Commands(mlnx_qos=QOS.format("dscp", 1))

    program.do("check", {**ASKED, "provider": "mlnx_qos"}, 0)
