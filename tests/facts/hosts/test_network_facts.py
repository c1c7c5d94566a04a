"""What servers say of their network, where it is not plain: absent commands, empty answers, several that disagree."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rackproof.facts.fact import Answer, FactError
from rackproof.facts.hosts import dcb, interfaces, mounts, nccl, rdma, routes, services
from rackproof.facts.hosts.shell_text import each_port_command, files, sections

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.facts.fact import Answers

MODULES = (dcb, interfaces, mounts, nccl, rdma, routes, services)
QUIET = "2>/dev/null"


def answers(**outputs: str) -> Answers:
    """Empty answers of all commands but some, which are named as ``module_CONSTANT``."""
    said = {command: Answer("", 0) for module in MODULES for command in module.FACT.commands}
    for name, output in outputs.items():
        module, _, constant = name.partition("_")
        said[vars(next(one for one in MODULES if one.FACT.name == module))[constant]] = Answer(output, 0)
    return said


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.FACT.name)
def test_every_command_is_one_that_a_shell_can_read(module: object) -> None:
    for command in vars(module)["FACT"].commands:
        finished = subprocess.run(["/bin/sh", "-n", "-c", command], capture_output=True, text=True, check=False)
        assert (finished.returncode, finished.stderr) == (0, "")


def test_a_name_server_that_answers_is_told_from_one_that_is_silent() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        program = services.ASK.replace("(server,53)", f"(server,{server.getsockname()[1]})").replace("1.5", "0.2")
        words = [sys.executable, "-c", program, "127.0.0.1", "127.0.0.2"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as asking:
            question, asker = server.recvfrom(512)
            server.sendto(question[:2] + b"\x81\x85" + question[4:], asker)
            said, _ = asking.communicate(timeout=20)

    refused = 5
    assert sorted(said.splitlines()) == [f"127.0.0.1 {refused}", "127.0.0.2 silent"]


@pytest.mark.parametrize("module", [dcb, interfaces, mounts, nccl, rdma, routes, services])
def test_a_command_that_hangs_is_named(module: object) -> None:
    fact = vars(module)["FACT"]
    ended = dict.fromkeys(fact.commands, Answer("", None, "ended after 10 s"))

    with pytest.raises(FactError, match="` was ended after 10 s"):
        fact.parse({**answers(), **ended})


def test_a_file_is_told_with_its_path_and_an_absent_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "mtu").write_text("9000\n")
    command = files(f"{tmp_path}/mtu", f"{tmp_path}/absent")

    finished = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)

    assert finished.stdout == f"{tmp_path}/mtu:9000\n"


def test_what_each_port_says_is_told_apart() -> None:
    assert "$port" not in each_port_command("true").partition("echo")[0]
    assert sections("== rail0\none\ntwo\n== rail1\n") == {"rail0": "one\ntwo", "rail1": ""}


def test_a_port_that_is_not_there_is_named_with_those_that_are() -> None:
    found = interfaces.FACT.parse(answers(interfaces_ADDRESSES='[{"ifname": "eth0"}, {}]', interfaces_UPTIME="1.0 2.0"))

    with pytest.raises(FactError, match="no interface rail0, only eth0"):
        interfaces.find_interface(found, "rail0")
    assert found["eth0"].speed_gbps is None
    assert found["eth0"].fec is None


def test_an_unknown_speed_is_none() -> None:
    text = "/sys/class/net/eth0/speed:-1\n"
    one = '[{"ifname": "eth0", "flags": ["UP"], "operstate": "DOWN"}]'
    found = interfaces.FACT.parse(answers(interfaces_ADDRESSES=one, interfaces_FILES=text, interfaces_UPTIME="1.0 2.0"))

    assert found["eth0"].speed_gbps is None
    assert not found["eth0"].up


def test_a_device_without_addresses_has_no_gids_and_an_unset_mark_is_not_zero() -> None:
    found = rdma.FACT.parse(answers(rdma_LINKS='[{"ifname": "rxe0", "netdev": "eth1", "state": "ACTIVE"}]'))

    assert found["rxe0"].gids_for("10.0.0.1") == ()
    assert found["rxe0"].cm_tos is None
    assert found["rxe0"].active_mtu_bytes is None
    with pytest.raises(FactError, match="no RDMA device rdma_rail0, only rxe0"):
        rdma.find_device(found, "rdma_rail0")


def test_a_gid_is_read_with_its_kind_and_its_interface() -> None:
    ports = "/sys/class/infiniband/rxe0/ports/1"
    gids = (
        f"{ports}/gid_attrs/types/1:RoCE v2\n{ports}/gid_attrs/ndevs/1:rail0\n"
        f"{ports}/gids/1:0000:0000:0000:0000:0000:ffff:0a0a:0010\n"
    )
    found = rdma.FACT.parse(answers(rdma_LINKS='[{"ifname": "rxe0"}]', rdma_GIDS=gids))

    assert found["rxe0"].gids_for("10.10.0.16") == (rdma.Gid(1, "10.10.0.16", "RoCE v2", "rail0"),)
    assert found["rxe0"].gids_for("10.10.0.17") == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("== eth0\nAttribute read: Operation not supported\n", "Operation not supported"),
        ("== eth0\n", "neither dcb nor mlnx_qos is installed"),
        ("== eth0\n/bin/sh: 1: dcb: not found\n", "dcb: not found"),
    ],
)
def test_an_adapter_that_does_not_tell_says_why(text: str, why: str) -> None:
    found = dcb.FACT.parse(answers(dcb_DCB=text, dcb_MLNX_QOS="== eth0\n"))

    with pytest.raises(FactError, match=why):
        dcb.port_qos(found, "eth0")
    with pytest.raises(FactError, match="no such port"):
        dcb.port_qos(found, "eth1")


def test_the_kernels_own_driver_of_nvidia_tells_of_notifications() -> None:
    debug = "/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params"
    found = dcb.FACT.parse(
        answers(
            dcb_DCB="== rail0\nprio-pfc 3:on\n== rail1\nprio-pfc 3:on\n",
            dcb_FILES=f"{debug}/np_cnp_dscp:48\n{debug}/np_cnp_prio:6\n",
            dcb_OWNERS="/sys/class/infiniband/mlx5_0/device/net/rail0\n/sys/bus/pci/devices/0000:1a:00.0/net/rail0\n",
        )
    )

    one, other = dcb.port_qos(found, "rail0"), dcb.port_qos(found, "rail1")
    assert (one.cnp_dscp, one.cnp_priority, one.notifies) == (48, 6, None)
    assert (other.cnp_dscp, other.cnp_priority) == (None, None)


def test_a_route_with_several_next_hops_is_one_for_each() -> None:
    hops = '{"gateway": "10.0.0.1", "dev": "a"}, {"gateway": "10.0.1.1", "dev": "b"}'
    text, said = f'[{{"dst": "default", "nexthops": [{hops}]}}]', "a 10.0.0.1 answers\nb 10.0.1.1 silent\n"
    found = routes.FACT.parse(answers(routes_ROUTES=text, routes_RULES="[]", routes_NEXT_HOPS=said))

    ways = [(one.gateway, one.interface) for one in found.through("default", "main")]
    assert ways == [("10.0.0.1", "a"), ("10.0.1.1", "b")]
    asked = (("a", "10.0.0.1"), ("b", "10.0.1.1"), ("b", "10.0.2.1"))
    assert [found.answers(*one) for one in asked] == [True, False, None]


def test_what_is_mounted_last_counts() -> None:
    text = "".join(
        f"device {server}:/ifs mounted on /mnt/a with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.1\n\txprt:\t{by} 0\n"
        for server, by in (("one", "tcp"), ("two", "rdma"))
    )
    found = mounts.FACT.parse(answers(mounts_LOOK=f"device proc mounted on /proc with fstype proc\n{text}"))

    assert list(found) == ["/mnt/a"]
    assert (found["/mnt/a"].source, found["/mnt/a"].transports) == ("two:/ifs", ("rdma",))


def test_systemd_keeps_time_where_chrony_does_not() -> None:
    said = {
        **answers(
            services_CLOCK="NTPSynchronized=yes\n",
            services_TIMESYNC="SystemNTPServers=192.0.2.1 192.0.2.2\nServerAddress=192.0.2.2\n",
        ),
        services.SOURCES: Answer("", 1, "506 Cannot talk to daemon"),
    }

    clock = services.clock_state(services.FACT.parse(said))

    assert [(one.address, one.chosen) for one in clock.sources] == [("192.0.2.1", False), ("192.0.2.2", True)]
    assert clock.offset_s is None


def test_the_environment_counts_before_the_files_of_nccl() -> None:
    text = (
        "/etc/profile.d/nccl.sh:export NCCL_IB_TC='1'\n/etc/environment:NCCL_IB_TC=2\n"
        "/etc/environment:NCCL_DEBUG=WARN\n/etc/nccl.conf:NCCL_IB_TC=3\n/etc/nccl.conf:NCCL_IB_HCA==a,b\n"
    )
    found = nccl.FACT.parse(answers(nccl_FILES=text))

    assert found["NCCL_IB_TC"] == nccl.NcclSetting("1", "/etc/profile.d/nccl.sh")
    assert found["NCCL_DEBUG"].value == "WARN"
    assert found["NCCL_IB_HCA"].value == "=a,b"
