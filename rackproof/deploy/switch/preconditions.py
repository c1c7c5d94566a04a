"""Preconditions of a change: a switch that violates one is refused before anything is sent."""

from rackproof.deploy.errors import CablingError, DisruptionRefusedError, RefusedError
from rackproof.deploy.protocol import Change, disturbed_users
from rackproof.deploy.switch.cabling_check import contradictions
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState


def refuse_address_change(task: SwitchTask, changes: tuple[Change, ...]) -> None:
    """Refuse to change the management address that the connection uses.

    Raises
    ------
    RefusedError
        The management address changes, and it is the one in access.yaml.
    """
    for change in changes:
        if change.path == ("management", "address") and str(change.before).partition("/")[0] == task.target.access.host:
            cause = f"not touched, because it would not answer at {task.target.access.host} any more: {change}"
            hint = "change the address at the switch's console, then in access.yaml"
            raise RefusedError(task.device, cause, hint)


def refuse_wrong_cabling(task: SwitchTask, operational: OperationalState) -> None:
    """Refuse to change a switch whose LLDP neighbours contradict the plan; a missing neighbour contradicts nothing.

    Raises
    ------
    CablingError
        The cabling contradicts the plan.
    """
    wrong = contradictions(operational.neighbours, task.neighbours, task.site_devices)
    if wrong:
        hint = "cable as in the cable schedule (build/<site>/cables.csv), and run it again"
        raise CablingError(task.device, f"not touched, because cables contradict the plan: {'; '.join(wrong)}", hint)


def refuse_disruption(task: SwitchTask, changes: tuple[Change, ...]) -> None:
    """Refuse a change that interrupts traffic.

    Raises
    ------
    DisruptionRefusedError
        A change interrupts ports or sessions that are in use.
    """
    disturbing = [change for change in changes if change.disturbs]
    if disturbing:
        users = ", ".join(disturbed_users(disturbing))
        cause = f"not touched, because this would interrupt {users}: {'; '.join(map(str, disturbing))}"
        raise DisruptionRefusedError(task.device, cause, "--allow-disruption allows it")
