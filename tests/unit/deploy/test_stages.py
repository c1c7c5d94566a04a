"""Which stage comes first."""

from rackproof.deploy.switch.nos.enterprise_sonic.stages import next_stage
from rackproof.deploy.switch.stage import Stage
from rackproof.render.config_tree import parse_tree

BREAKOUT = "interface breakout port 1/1 mode 4x200G\n"
ROCE = "roce enable pfc-priority 3,4\n"


def first(running: str, intended: str) -> Stage | None:
    return next_stage(parse_tree(running), parse_tree(intended))


def test_nothing_to_do() -> None:
    assert first("hostname a\n", "hostname a\n") is None


def test_ports_are_broken_out_before_lossless_mode() -> None:
    stage = first("hostname a\n", BREAKOUT + ROCE + "hostname b\n")
    assert stage == Stage("breakout of ports", (BREAKOUT.strip(),))


def test_lossless_mode_comes_before_the_rest_and_restarts() -> None:
    stage = first(BREAKOUT, BREAKOUT + ROCE + "hostname b\n")
    assert stage == Stage("lossless mode", (), restarting_line=ROCE.strip())
    assert stage.restarts


def test_a_breakout_in_lossless_mode_needs_a_restart() -> None:
    stage = first(ROCE, BREAKOUT + ROCE)
    assert stage is not None
    assert stage.restarts
    assert stage.restarting_line is None


def test_other_priorities_leave_lossless_mode_first() -> None:
    stage = first("roce enable pfc-priority 3,4\n", "roce enable pfc-priority 3,5\n")
    assert stage is not None
    assert stage.restarting_line == "no roce enable"


def test_a_buffer_mode_that_nobody_wants_ends() -> None:
    stage = first("buffer init lossless\n", ROCE)
    assert stage is not None
    assert stage.restarting_line == "no buffer init"


def test_own_qos_objects_make_room_for_lossless_mode() -> None:
    running = "qos map dscp-tc MINE\n dscp 3 traffic-class 3\ninterface Eth1/1\n qos-map dscp-tc MINE\n mtu 9216\n"
    stage = first(running, ROCE + "interface Eth1/1\n mtu 9216\n")
    assert stage is not None
    assert stage.lines == ("interface Eth1/1", "no qos-map dscp-tc", "exit", "no qos map dscp-tc MINE")


def test_what_refers_to_a_port_goes_before_the_port() -> None:
    running = (
        "interface Eth1/1\n channel-group 1\n mtu 9216\ninterface Eth1/10\n channel-group 1\n"
        "router bgp 65001\n neighbor interface Eth1/1\n  remote-as external\n neighbor interface Eth1/10\n"
    )
    stage = first(running, BREAKOUT)
    assert stage is not None
    assert stage.lines == (
        "router bgp 65001",
        "no neighbor interface Eth1/1",
        "exit",
        "interface Eth1/1",
        "no channel-group",
        "exit",
        BREAKOUT.strip(),
    )


def test_another_breakout_of_a_port_replaces_the_first() -> None:
    stage = first(BREAKOUT, "interface breakout port 1/1 mode 2x400G\n")
    assert stage is not None
    assert stage.lines == ("interface breakout port 1/1 mode 2x400G",)


def test_a_port_is_joined_again() -> None:
    stage = first(BREAKOUT, "hostname a\n")
    assert stage is not None
    assert stage.lines == ("no interface breakout port 1/1",)
