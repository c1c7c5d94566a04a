"""Server settings: BIOS attributes and controller firmware, read over Redfish."""

from rackproof.facts.controllers import BIOS_SETTINGS, CONTROLLER
from rackproof.site.access import CONTROLLER as ENTRY
from validation.expected.fixtures import Judge, Server, applies_to, requirements


def has_bios(server: Server) -> bool:
    """Whether BIOS settings are planned for it."""
    return bool(server.intent.bios)


@applies_to(has_bios)
@requirements("ATTEST02")
def test_bios_is_set_as_planned(server: Server, judge: Judge) -> None:
    """Every planned BIOS attribute has its planned value."""
    if not can_be_asked(server, judge):
        return
    found = server.controller_fact(BIOS_SETTINGS)
    for name, planned in server.intent.bios.items():
        waiting = found.waiting.get(name)
        judge.expect_equal(
            f"{server.name}:{name}",
            expected=planned,
            actual=found.now.get(name, "not reported by this BIOS"),
            remedy=f"`rackproof up <site> --only {server.name}` sets it and restarts the server",
            values={"at the next restart": waiting} if waiting else {},
        )


@applies_to(has_bios)
def test_no_bios_setting_waits_for_a_restart(server: Server, judge: Judge) -> None:
    """No BIOS attribute has a pending change."""
    if not can_be_asked(server, judge):
        return
    found = server.controller_fact(BIOS_SETTINGS)
    waiting = tuple(f"{name} {found.now.get(name, 'none')} → {value}" for name, value in found.waiting.items())
    judge.expect_equal(
        f"{server.name}:waiting",
        expected=(),
        actual=waiting,
        remedy="restart the server when it is drained, or clear its pending settings in the iDRAC",
    )


@applies_to(has_bios)
@requirements("ATTEST02")
def test_management_controller_runs_the_firmware_of_the_release(server: Server, judge: Judge) -> None:
    """Every management controller runs the firmware version of the release.

    Where the release states none, the controller must report one.
    """
    if not can_be_asked(server, judge):
        return
    found, planned = server.controller_fact(CONTROLLER), server.intent.bmc_version
    judge.expect(
        f"{server.name}:{server.model.bmc}",
        found.firmware == planned if planned else bool(found.firmware),
        expected=planned or "a version: the release states none",
        actual=found.firmware or "not reported",
        remedy=f"install {server.model.bmc} firmware {planned or ''}, or choose a release that has the other one",
        values={"model": found.model},
    )


def can_be_asked(server: Server, judge: Judge) -> bool:
    """Whether a server's management controller was asked; a server without an entry in access.yaml is skipped."""
    if server.has_controller:
        return True
    entry = f"{server.name}{ENTRY}"
    replayed = server.site.evidence.replayed
    reason = "no recording exists" if replayed else f"access.yaml has no entry {entry}"
    judge.skip(server.name, f"its management controller was not read: {reason}")
    return False
