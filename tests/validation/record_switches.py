"""Records lab switches for the tests of the suites about switches.

usage: python -m tests.validation.record_switches

Starts the lab of each site in this process, deploys to it, asks its switches, and keeps what the checks look at: rows
of ports in use, of the queues that RoCE uses; JSON without blanks.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from typing import TYPE_CHECKING, Final

from rackproof.facts.fact import Answer
from rackproof.facts.hosts.recording import encode_answers
from rackproof.facts.switches import gathered
from rackproof.gather.switches import SwitchQuery, gather_switches
from rackproof.plan.model.port_names import nos_port_name
from tests.deploy.conftest import PASSWORD, VARIABLE, Bench, lab_bench
from tests.validation.switches import RECORDED, RECORDINGS, SITES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OTHER_QUEUES: Final = re.compile(r"^Eth\S+ +UC[124567] .*\n", re.MULTILINE)
ROW: Final = re.compile(r"^(?P<port>Eth\S+) .*\n", re.MULTILINE)


def main() -> None:
    """Record every site."""
    os.environ[VARIABLE] = PASSWORD
    for site, names in RECORDED.items():
        with lab_bench(SITES[site]) as bench:
            failed = [name for name, result in bench.up().items() if not result.succeeded]
            assert not failed, failed
            asked = [one for one in asked_switches(bench) if one.target.device in names]
            for device, answers in asyncio.run(gather_switches(asked)).items():
                ports = next(one.ports for one in asked if one.target.device == device)
                assert not isinstance(answers, Exception), answers
                kept = {command: trimmed(answer, ports) for command, answer in answers.items()}
                (RECORDINGS / site).mkdir(parents=True, exist_ok=True)
                (RECORDINGS / site / f"{device}.json").write_bytes(encode_answers(kept))


def asked_switches(bench: Bench) -> Iterator[SwitchQuery]:
    """Every switch of the lab, with the ports that its intent uses."""
    access, catalogue = bench.access(), bench.planned.catalogue
    for name, intent in bench.planned.plan.intents().items():
        plan = bench.planned.plan.switches[name]
        nos, model = catalogue.nos(plan.nos), catalogue.switch(plan.model)
        ports = tuple(nos_port_name(nos, model, key, intent.breakouts) for key in intent.ports)
        yield SwitchQuery(access.target(name), plan.nos, ports, gathered(overlay=intent.vxlan is not None))


def trimmed(answer: Answer, ports: Collection[str]) -> Answer:
    """An answer without what no check looks at."""
    if answer.output.startswith(("{", "[")):
        found = json.loads(answer.output)
        if isinstance(found, dict) and "swp65" in found:
            found = {name: one for name, one in found.items() if name in ports}
        for table in ("egress-queue-stats", "ingress-buffer-stats") if isinstance(found, dict) else ():
            found = {**found, **({table: {"3": found[table]["3"]}} if "3" in found.get(table, {}) else {})}
        return answer._replace(output=json.dumps(found, separators=(",", ":")))
    text = OTHER_QUEUES.sub("", answer.output)
    return answer._replace(output=ROW.sub(lambda row: row[0] if row["port"] in ports else "", text))


if __name__ == "__main__":
    main()
