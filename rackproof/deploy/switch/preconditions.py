"""What stops a change before it starts."""

from rackproof.deploy.errors import CablingError, DisruptionRefusedError, RefusedError
from rackproof.deploy.protocol import Change
from rackproof.deploy.switch.cabling_check import contradictions
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState


def refuse_losing_it(task: SwitchTask, changes: tuple[Change, ...]) -> None:
    """Refuse to change the address that we are talking to: nothing would answer there afterwards.

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


def refuse_wrong_cabling(task: SwitchTask, around: OperationalState) -> None:
    """Refuse to change a switch whose neighbours contradict the plan; silence contradicts nothing.

    Raises
    ------
    CablingError
        Cables are not where the plan has them.
    """
    wrong = contradictions(around.neighbours, task.neighbours, task.site_devices)
    if wrong:
        hint = "put the cables where the cable schedule has them (build/<site>/cables.csv), and run it again"
        raise CablingError(task.device, f"not touched, because cables contradict the plan: {'; '.join(wrong)}", hint)


def refuse_disruption(task: SwitchTask, changes: tuple[Change, ...]) -> None:
    """Refuse to interrupt somebody.

    Raises
    ------
    DisruptionRefusedError
        A change interrupts what somebody uses.
    """
    disturbing = [change for change in changes if change.disturbs]
    if disturbing:
        users = ", ".join(dict.fromkeys(user for change in disturbing for user in change.disturbs))
        cause = f"not touched, because this would interrupt {users}: {'; '.join(map(str, disturbing))}"
        raise DisruptionRefusedError(task.device, cause, "allow it with --allow-disruption, when nobody needs them")
