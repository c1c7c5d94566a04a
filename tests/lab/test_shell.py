"""The login shell: quoting, pipes, files, rights, a disk that is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.lab.conftest import Console, OnConsole


LINES = [
    # line, exit status, what is printed
    ("echo one two", 0, "one two\n"),
    ("echo 'a  b' \"c $USER\"", 0, "a  b c admin\n"),
    ("false || echo no", 0, "no\n"),
    ("true && false", 1, ""),
    ("echo hidden > /dev/null; echo seen", 0, "seen\n"),
    ("printf '%s\\n' a b | tail -1", 0, "b\n"),
    ("echo x > /tmp/f && cat /tmp/f && rm /tmp/f && cat /tmp/f", 1, "x\ncat: /tmp/f: No such file or directory\n"),
    ("echo x > /etc/f", 1, "bash: /etc/f: Permission denied\n"),
    ("echo x | tee /etc/f", 1, "x\ntee: /etc/f: Permission denied\n"),
    ("echo x | sudo tee /etc/f > /dev/null; cat /etc/f", 0, "x\n"),
    ("cat <<'EOF'\n$USER\nEOF", 0, "$USER\n"),
    ("sudo tee /etc/g >/dev/null <<EOF\none\ntwo\nEOF\ncat /etc/g", 0, "one\ntwo\n"),
    ("sudo mkdir -p /etc/sonic/rackproof && sudo test -d /etc/sonic/rackproof && echo yes", 0, "yes\n"),
    ("sudo sh -c 'echo x > /etc/h && cat /etc/h'", 0, "x\n"),
    ("test -f /etc/none || echo none", 0, "none\n"),
    ("vtysh -c 'show run'", 127, "bash: line 1: vtysh: command not found\n"),
    ("/bin/cat /etc/none 2>/dev/null", 1, ""),
    ("cat /etc/none 2>&1 | grep -c none", 0, "1\n"),
    ("echo 'open", 2, "bash: unexpected EOF while looking for matching `''\n"),
    ("| true", 2, "bash: syntax error near unexpected token `|'\n"),
    ("whoami; sudo whoami; sudo -u admin whoami", 0, "admin\nroot\nadmin\n"),
    ("systemctl stop x.timer", 1, "Failed to stop: Interactive authentication required.\n"),
    ("sudo sonic-cli -c 'show clock'", 1, "FATAL: root cannot launch CLI\n"),
    ("reboot", 1, "Root privileges are needed to reboot\n"),
]


@pytest.mark.parametrize(("line", "status", "printed"), LINES)
def test_a_line_of_the_shell(on_console: OnConsole, line: str, status: int, printed: str) -> None:
    async def scenario(console: Console) -> None:
        assert await console.sh(line) == (status, printed)

    on_console(scenario)


FULL = [
    "sudo cp /etc/sonic/config_db.json /etc/sonic/copy.json",
    "sudo tee /etc/systemd/system/x.timer < /etc/sonic/config_db.json > /dev/null",
    "sudo config save -y /etc/sonic/copy.json",
]


@pytest.mark.parametrize("line", FULL)
def test_a_full_disk_fails_every_write(on_console: OnConsole, line: str) -> None:
    async def scenario(console: Console) -> None:
        console.switch.files.full = True
        status, printed = await console.sh(line)
        assert status == 1
        assert "No space left on device" in printed
        assert await console.sh("df --output=avail -k /etc/sonic | tail -1") == (0, "0\n")
        assert (await console.typed("write memory"))[-1][1] == "%Error: No space left on device\n"

    on_console(scenario)


def test_a_rename_needs_no_room(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.sh("sudo cp /etc/sonic/config_db.json /etc/sonic/copy.json")
        console.switch.files.full = True
        assert await console.sh("sudo mv /etc/sonic/copy.json /etc/sonic/config_db.json") == (0, "")

    on_console(scenario)


def test_the_running_configuration_can_be_saved_elsewhere_and_come_back(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured("interface Eth1/1", "mtu 9216")
        assert await console.sh("sudo config save -y /etc/sonic/aside.json") == (0, "")
        await console.configured("interface Eth1/1", "mtu 1500")
        assert await console.sh("sudo config reload -y /etc/sonic/aside.json") == (0, "")
        assert " mtu 9216" in console.block("interface Eth1/1")

    on_console(scenario)


def test_boot_id_and_clock_are_the_switchs_own(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        _, first = await console.sh("cat /proc/sys/kernel/random/boot_id")
        _, before = await console.sh("date -u +%s")
        await console.sh("sudo reboot")
        await console.until_up()
        _, second = await console.sh("cat /proc/sys/kernel/random/boot_id")
        _, after = await console.sh("date -u +%s")
        assert first != second
        assert int(after) - int(before) >= 120

    on_console(scenario)
