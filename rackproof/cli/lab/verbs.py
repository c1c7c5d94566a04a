"""Verbs of the lab: a whole site on one machine, to rehearse on and to break."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import Output, reporting

if TYPE_CHECKING:
    from pathlib import Path

    from lab.daemon.messages import LabStatus

verbs = typer.Typer()
lab = typer.Typer(no_args_is_help=True, help="A whole site on one machine: switches to rehearse on, and to break.")
verbs.add_typer(lab, name="lab")


@lab.command()
def up(
    site: SiteArgument,
    *,
    hosts: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=4,
            help="Virtual machines for each group of servers; 0: switches alone, of the whole site.",
            show_default="2, or 0 where this machine cannot have any",
        ),
    ] = None,
    storage_nodes: Annotated[
        int, typer.Option(min=0, max=4, help="Virtual machines for each storage cluster that serves NFS.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Start a site on this machine in the background: switches on loopback, and hosts that are virtual machines.

    Switches answer over SSH as their NOS does, start at their base configuration, and are cabled as the plan says. Each
    carries packets as it is configured. Hosts are scaled down by a rule that is told, at most four in all; what is left
    of the site is build/<site>/lab/site.yaml, and `rackproof up` and `diff` work on it while the lab runs. The first
    start makes the hosts' disk, which takes minutes; later ones take seconds. Hosts take root and QEMU; without them
    the switches start alone, every link is computed, and what that does not prove is said.

    How devices are reached is written to build/<site>/lab/access.yaml, where `rackproof diff` and `rackproof up` look
    first. A lab that is running already is left as it is.
    """
    from rackproof.cli.lab.start import machines, start  # noqa: PLC0415 not needed to start
    from rackproof.cli.plan.load_plan import planned_site  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        state = start(planned, machines(hosts, output), output, storage_nodes)
        name = planned.plan.site
        verb = "was running already" if state.already_running else "is up"
        has = f"{len(state.status.switches)} switch(es), {len(state.status.hosts)} host(s)"
        output.line(f"lab of {name} {verb}: {has}", "green")
        output.line(f"access: {shown(state.access_file)}")
        output.result(site=name, access=state.access_file, lab=state.status)


@lab.command()
def down(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """End the lab of a site and remove every file of it, also after a crash."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        was_running = client.down(folder_of(site))
        output.line("the lab is down" if was_running else "no lab was running")
        output.result(was_running=was_running)


@lab.command()
def status(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Show the switches and hosts of a running lab, its clock, the faults in force, and what of it is not real."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        show_status(client.status(folder_of(site)), output)


@lab.command()
def fault(
    site: SiteArgument,
    name: Annotated[str | None, typer.Argument(help="Name of the fault; left out: list them all.")] = None,
    parameters: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Its parameters, such as switch=backend-leaf-01.")
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Undo this fault; without a name, all of them.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Break something in a running lab, or mend it again.

    Examples: `rackproof lab fault metrum-h200 dead-switch switch=frontend-leaf-01`,
    `rackproof lab fault metrum-h200 swapped-cable switch=backend-leaf-01 first=Eth1/1/1 second=Eth1/1/2`,
    `rackproof lab fault metrum-h200 --clear`.
    """
    from lab import faults  # noqa: PLC0415 not needed to start
    from lab.daemon import client  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        if clear:
            count = client.clear(folder_of(site), name)
            output.line(f"{count} fault(s) cleared")
            output.result(cleared=count)
        elif name is None:
            output.table("Faults", ("fault", "parameters and meaning"), [(n, faults.usage(n)) for n in faults.names()])
            output.result(faults={n: faults.usage(n) for n in faults.names()})
        else:
            client.fault(folder_of(site), name, parameters_of(parameters or []))
            output.line(f"{name} is in force", "yellow")
            output.result(fault=name)


@lab.command()
def clock(
    site: SiteArgument,
    seconds: Annotated[float, typer.Argument(min=0, help="How far to move the lab's clock ahead, in seconds.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Move the lab's clock ahead: return timers whose time comes fire."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        client.advance_clock(folder_of(site), seconds)
        show_status(client.status(folder_of(site)), output)


@lab.command(context_settings={"ignore_unknown_options": True})
def ssh(
    site: SiteArgument,
    host: Annotated[str, typer.Argument(help="Name of a host that is a machine; `rackproof lab status` lists them.")],
    command: Annotated[list[str] | None, typer.Argument(help="What to run there; left out: a shell.")] = None,
) -> None:
    """Open a shell on a host of a running lab, or run a command there; `sudo` asks for nothing.

    Example: `rackproof lab ssh metrum-h200 gpu-001 rdma link`.
    """
    from lab.daemon import client  # noqa: PLC0415 not needed to start
    from lab.hosts.shell import ssh_command  # noqa: PLC0415 likewise

    with reporting(as_json=False):
        folder = folder_of(site)
        words = ssh_command(folder, client.status(folder), host, command or ())
        os.execvp(words[0], words)  # noqa: S606 no shell of ours between the person and the host


@lab.command()
def traffic(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Send RDMA over every rail between two hosts of a running lab, and mount NFS over RDMA.

    What passes is real, and the counters of the switches' ports say which way it took. The speed is that of this
    machine's processor and says nothing of the site. Hosts have addresses once `rackproof up` has brought them up.

    Exit status: 0 every rail and the mount carry, 1 one does not, 3 bad input.
    """
    from rackproof.cli.lab.traffic import traffic as send_and_tell  # noqa: PLC0415 not needed to start
    from rackproof.cli.plan.load_plan import planned_for_access  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        send_and_tell(planned_for_access(site, None, output).plan, folder_of(site), output)


def folder_of(site: str) -> "Path":
    """Return the folder of a site's lab: the site itself need not be right to end its lab."""
    from rackproof.paths import lab_folder  # noqa: PLC0415 not needed to start
    from rackproof.site.load import find_site, load_site, site_names  # noqa: PLC0415 likewise

    return lab_folder(site if site in site_names() else load_site(find_site(site)).site.site)


def parameters_of(words: list[str]) -> dict[str, str]:
    """Return the parameters of a fault.

    Raises
    ------
    BadInputError
        A word is not KEY=VALUE.
    """
    from rackproof.errors import BadInputError  # noqa: PLC0415 not needed to start

    wrong = [word for word in words if "=" not in word]
    if wrong:
        raise BadInputError(f"{wrong[0]!r} is not KEY=VALUE", "write for example switch=backend-leaf-01")
    return dict(word.split("=", 1) for word in words)


def show_status(now: "LabStatus", output: Output) -> None:
    """Tell how the lab is."""
    output.result(lab=now)
    if not now.running:
        output.line("no lab is running")
        return
    show_hosts(now, output)
    rows = [
        (
            switch.name,
            switch.power,
            f"127.0.0.1:{switch.port}",
            switch.links_up,
            switch.links,
            *switch.return_timers[:1],
        )
        for switch in now.switches
    ]
    columns = ("switch", "power", "SSH", "links up", "links", "return timer")
    output.table(f"Lab, {now.clock:%Y-%m-%d %H:%M:%S} UTC", columns, [(*row, None)[: len(columns)] for row in rows])
    for active in now.faults:
        words = " ".join(f"{key}={value}" for key, value in active.parameters.items())
        output.line(f"fault in force: {active.name} {words}", "yellow")


def show_hosts(now: "LabStatus", output: Output) -> None:
    """Tell which hosts are machines, and what of the lab is not real."""
    columns = ("host", "power", "SSH", "ports", "recorded")
    rows = [
        (host.name, host.power, f"127.0.0.1:{host.port}", " ".join(host.ports), ", ".join(host.recorded))
        for host in now.hosts
    ]
    if rows:
        output.table("Hosts", columns, rows)
    for one in now.simulated:
        output.note(f"simulated: {one}")


def shown(path: "Path") -> str:
    """Return a path as a person at the checkout reads it."""
    from rackproof.cli.excerpt import shown_path  # noqa: PLC0415 not needed to start

    return shown_path(path)
