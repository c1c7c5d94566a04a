"""Over SSH: one command with asyncssh, changes with netmiko's own driver, many switches in one process."""

from __future__ import annotations

import asyncio
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import asyncssh
import pytest
from netmiko import ConnectHandler

from lab.daemon.running_lab import RunningLab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from netmiko import BaseConnection

    from lab.daemon.in_process import LabThread
    from lab.spec.models import LabSite
    from tests.lab.conftest import Fabric, OnFabric


pytestmark = pytest.mark.lab


@contextmanager
def session(lab: LabThread, switch: str = "leaf-a") -> Iterator[BaseConnection]:
    connection = ConnectHandler(
        device_type="dell_sonic",
        host="127.0.0.1",
        port=lab.port(switch),
        username="admin",
        password=lab.password,
        use_keys=False,
        allow_agent=False,
        ssh_config_file=None,
    )
    try:
        yield connection
    finally:
        connection.paramiko_cleanup()  # disconnect() would first wait two seconds to see which mode it is in


def say(connection: BaseConnection, line: str, until: str) -> str:
    connection.write_channel(f"{line}\n")
    return str(connection.read_until_pattern(pattern=until, read_timeout=5))


def test_netmikos_driver_works_unchanged(small_lab: LabThread) -> None:
    description = "a description that is longer than a terminal is wide, so that nothing may be wrapped or redrawn"
    with session(small_lab) as connection:
        assert connection.find_prompt() == "leaf-a#"
        connection.send_config_set(
            ["interface Eth1/1", "mtu 9216", f'description "{description}"'], exit_config_mode=False
        )
        say(connection, "end", r"leaf-a# ")
        assert connection.save_config() is not None
        shown = connection.send_command("show running-configuration")
        assert f' description "{description}"' in str(shown).splitlines()


def test_a_refusal_comes_back_before_the_prompt(small_lab: LabThread) -> None:
    with session(small_lab) as connection:
        say(connection, "configure terminal", r"\(config\)# ")
        say(connection, "interface Eth1/1", r"\(config-if-Eth1/1\)# ")
        answer = say(connection, "mtu 1", r"\(config-if-Eth1/1\)# ")
        marker = " " * len("leaf-a(config-if-Eth1/1)# mtu ") + "^"
        assert answer.splitlines()[1:3] == [marker, "% Error: Value out of range(1312..9216)."]


def test_a_question_waits_for_its_answer(small_lab: LabThread) -> None:
    with session(small_lab) as connection:
        say(connection, "configure terminal", r"\(config\)# ")
        say(connection, "roce enable", r"\[y/N\]:")
        booted = small_lab.lab.switches["leaf-a"].booted
        connection.write_channel("y\n")
        assert small_lab.call(booted.wait())
    with session(small_lab) as connection:
        assert "roce enable" in connection.send_command("show running-configuration | grep roce")


def test_one_command_reads_and_stdin_writes(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        status, text = await fabric.run("leaf-a", 'sonic-cli -c "show running-configuration"')
        assert status == 0
        assert text == fabric.lab.switches["leaf-a"].nos.running_configuration()
        assert (await fabric.run("leaf-a", "sudo tee /etc/f > /dev/null", "one\ntwo\n")) == (0, "")
        assert (await fabric.run("leaf-a", "cat /etc/f")) == (0, "one\ntwo\n")
        assert (await fabric.run("leaf-a", "nonsense"))[0] == 127

    on_fabric(scenario)


def test_a_reboot_drops_the_session_and_answers_again_on_the_same_port(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        port = fabric.lab.endpoints["leaf-a"].port
        async with fabric.connect("leaf-a") as connection:
            result = await connection.run("sudo reboot && sonic-cli -c 'show clock'")
            assert result.exit_status is None
            assert result.stdout == ""
        with pytest.raises(OSError, match=r"refused|failed"):
            await fabric.run("leaf-a", "true")
        await fabric.until_up("leaf-a")
        assert fabric.lab.endpoints["leaf-a"].port == port
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


def test_a_public_key_opens_the_door_when_it_is_known(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        key = asyncssh.generate_private_key("ssh-ed25519")
        switch = fabric.lab.switches["leaf-a"]
        port = fabric.lab.endpoints["leaf-a"].port

        async def login() -> str:
            async with asyncssh.connect(
                "127.0.0.1",
                port,
                username="admin",
                client_keys=[key],
                known_hosts=None,
                agent_path=None,
                config=None,
            ) as connection:
                return str((await connection.run("whoami")).stdout)

        with pytest.raises(asyncssh.PermissionDenied):
            await login()
        switch.authorized_keys.add(key.export_public_key().decode())
        assert await login() == "admin\n"

    on_fabric(scenario)


def test_a_hundred_switches_in_one_process(big_site: LabSite) -> None:
    async def scenario() -> None:
        async with RunningLab(big_site, "x") as lab:

            async def read(name: str) -> str:
                async with asyncssh.connect(
                    "127.0.0.1",
                    lab.endpoints[name].port,
                    username="admin",
                    password="x",
                    known_hosts=None,
                    client_keys=None,
                    agent_path=None,
                    config=None,
                ) as connection:
                    return str((await connection.run('sonic-cli -c "show running-configuration"')).stdout)

            texts = await asyncio.gather(*(read(name) for name in lab.switches))
            assert [f"hostname {name}" in text for name, text in zip(lab.switches, texts, strict=True)] == [True] * 100
            assert len({endpoint.port for endpoint in lab.endpoints.values()}) == 100

    asyncio.run(scenario())


def test_connection_that_comes_as_a_switch_goes_down_is_not_left_open(on_fabric: OnFabric) -> None:
    async def steps(fabric: Fabric) -> None:
        endpoint, loop = fabric.lab.endpoints["leaf-a"], asyncio.get_running_loop()
        with socket.create_connection(("127.0.0.1", endpoint.port)) as client:
            loop.call_soon(endpoint.close)  # runs in the round of the loop that would accept the client
            client.setblocking(False)  # noqa: FBT003 the name of the method says what it sets
            with suppress(ConnectionResetError):
                while await asyncio.wait_for(loop.sock_recv(client, 1024), 5):
                    pass

    on_fabric(steps)
