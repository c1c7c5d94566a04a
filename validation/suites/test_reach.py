"""Reach: every device answers over SSH within its time-out."""

from validation.expected.fixtures import Judge, Server, Switch, requirements

ANSWERS = "it answers over SSH"


@requirements("BMAAS03")
def test_server_answers(server: Server, judge: Judge) -> None:
    """Every server answers over SSH, within the time-out."""
    judge_answer(server, judge)


@requirements("NETMGMT01")
def test_switch_answers(switch: Switch, judge: Judge) -> None:
    """Every switch answers over SSH, within the time-out."""
    judge_answer(switch, judge)


def judge_answer(device: Server | Switch, judge: Judge) -> None:
    """Hold what came of asking a device against an answer."""
    silence = device.site.run.no_answer(device.name)
    judge.add_evidence(device.site.evidence.kind(device.name, "reach"), device.site.run.log_name(device.name))
    judge.expect(
        device.name,
        silence is None,
        expected=ANSWERS,
        actual=ANSWERS if silence is None else silence.silent,
        remedy=silence.hint if silence and silence.hint else f"look at the console of {device.name}",
    )
