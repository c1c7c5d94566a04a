"""`rackproof diff`: the live devices of a site compared with its plan."""

from collections.abc import Sequence
from pathlib import Path

import typer

from rackproof.cli.options import AccessOption, JsonOption, OnlyOption, SiteArgument
from rackproof.cli.output import Output, reporting

verbs = typer.Typer()


@verbs.command()
def diff(
    site: SiteArgument, *, only: OnlyOption = None, access: AccessOption = None, as_json: JsonOption = False
) -> None:
    """Compare the live devices of a site with its site file; nothing is changed.

    Each difference is shown as a setting ("Ethernet 1/3: MTU 9100 → 9216"), with what the change would disrupt and
    which neighbors or hosts that affects. A return that an interrupted deployment left armed, and a configuration that
    is not saved, are differences too. Configuration lines that the site file does not explain are shown too: `up`
    removes them. Lines that Rackproof leaves alone (users, AAA, SNMP, banners, ...) are named in one line and are no
    difference. On the servers that access.yaml names, managed files and live settings are compared, and BIOS settings
    through the management controller where access.yaml has an entry `<server>-bmc`.

    Exit status: 0 no change, 1 something differs, 2 a device could not be read, 3 bad input.
    """
    from rackproof.cli.deploy.left_alone import show_left_alone  # noqa: PLC0415 not needed to start
    from rackproof.cli.deploy.unchanged_devices import unchanged_devices  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        if unchanged := unchanged_devices(site, access, only or (), output):
            output.line(f"{len(unchanged)} devices without changes", "green")
            show_left_alone(unchanged, output)
            devices = [{"device": name, "changes": [], "left_alone": list(left)} for name, left in unchanged.items()]
            output.result(site=site, devices=devices, export_only=())
        else:
            compare_site(site, access, only or (), output)


def compare_site(site: str, access: Path | None, only: Sequence[str], output: Output) -> None:
    """Read the devices, compare them with the plan, and print what differs."""
    from rackproof.cli.deploy.comparison import (  # noqa: PLC0415 the plan is not needed where nothing has changed
        left_alone_topics,
        remember_unchanged,
        show_comparison,
    )
    from rackproof.cli.deploy.deployable_site import deployable_site, with_record  # noqa: PLC0415 likewise
    from rackproof.cli.deploy.run_to_end import run_to_end  # noqa: PLC0415 likewise
    from rackproof.deploy.scheduler import compare  # noqa: PLC0415 likewise
    from rackproof.deploy.switch.job import SwitchOptions  # noqa: PLC0415 likewise

    chosen = with_record(deployable_site(site, access, only, output), output, keep=False)
    steps = tuple(chosen.steps(SwitchOptions()).values())
    with output.progress(f"reading {len(steps)} devices", len(steps)) as advance:
        compared = run_to_end(compare(steps, lambda _event: advance()))
    left = left_alone_topics(chosen, compared)
    output.status = show_comparison(chosen, compared, left, output)
    remember_unchanged(chosen, compared, left)
