"""`rackproof lab`: a whole site on one machine, to rehearse deployments and to inject faults."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import Output, reporting

if TYPE_CHECKING:
    from pathlib import Path

    from lab.daemon.messages import LabStatus

verbs = typer.Typer()
lab = typer.Typer(
    no_args_is_help=True, help="Run a whole site on this machine to rehearse deployments and inject faults."
)
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
            help="Virtual machines for each group of servers; 0: all switches of the site, and no hosts.",
            show_default="2, or 0 where this machine cannot run any",
        ),
    ] = None,
    storage_nodes: Annotated[
        int, typer.Option(min=0, max=4, help="Virtual machines for each storage cluster that serves NFS.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Start a site on this machine in the background: switches on loopback, and virtual machines as hosts.

    Switches answer over SSH as their NOS does, start with their base configuration, are cabled as planned, and forward
    packets as they are configured. Of the hosts a part is started, at most four; which part is printed, and written to
    build/<site>/lab/site.yaml, on which `rackproof up` and `rackproof diff` work while the lab runs. The first start
    builds the hosts' disk, which takes minutes; later ones take seconds. Hosts need root and QEMU; without them only
    the switches start, the state of every link is computed, and the output names what such a lab does not prove.

    Access to the devices is written to build/<site>/lab/access.yaml, which `rackproof diff` and `rackproof up` prefer.
    A lab that is already running is left as it is.
    """
    from rackproof.cli.lab.start import host_count, start  # noqa: PLC0415 not needed to start
    from rackproof.cli.load_plan import planned_site  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        state = start(planned, host_count(hosts, output), output, storage_nodes)
        name = planned.plan.site
        verb = "is already running" if state.already_running else "is up"
        has = f"{len(state.status.switches)} switch(es), {len(state.status.hosts)} host(s)"
        output.line(f"lab of {name} {verb}: {has}", "green")
        output.line(f"access: {shown(state.access_file)}")
        output.result(site=name, access=state.access_file, lab=state.status)


@lab.command()
def disk(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Build nothing: exit status 1 when the cache has no current disk.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build the disk of the hosts in advance, so that the first `rackproof lab up` does not wait for it.

    The disk is kept in ~/.cache/rackproof/lab and is the same for all sites. A current disk is left as it is. A command
    that needs the disk while another one builds it waits for that one.
    """
    from rackproof.cli.lab.start import build_disk, current_disk  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        found = current_disk() if check else build_disk(output)
        output.line("the cache has no current disk" if found is None else f"disk of the hosts: {shown(found)}")
        output.result(disk=found)
        if found is None:
            raise typer.Exit(1)


@lab.command()
def status(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Show a running lab: its switches, hosts, clock and active faults, and which parts are simulated."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        show_status(client.status(lab_folder(site)), output)


@lab.command()
def traffic(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Send RDMA over every rail between two hosts of a running lab, and mount NFS over RDMA.

    The packets are real, and the counters of the switch ports show their path. The speed is that of this machine's
    processor and says nothing about the site. Hosts have addresses after `rackproof up`.

    Exit status: 0 every rail and the mount carry traffic, 1 one does not, 3 bad input.
    """
    from rackproof.cli.lab.traffic import send_traffic  # noqa: PLC0415 not needed to start
    from rackproof.cli.load_plan import planned_for_access  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        send_traffic(planned_for_access(site, None, output).plan, lab_folder(site), output)


@lab.command(context_settings={"ignore_unknown_options": True})
def ssh(
    site: SiteArgument,
    host: Annotated[str, typer.Argument(help="Name of a host; `rackproof lab status` lists them.")],
    command: Annotated[list[str] | None, typer.Argument(help="Command to run there; default: a shell.")] = None,
) -> None:
    """Open a shell on a host of a running lab, or run a command there; `sudo` asks for no password.

    Example: `rackproof lab ssh metrum-h200 gpu-001 rdma link`.
    """
    from lab.daemon import client  # noqa: PLC0415 not needed to start
    from lab.hosts.shell import ssh_command  # noqa: PLC0415 likewise

    with reporting(as_json=False):
        folder = lab_folder(site)
        words = ssh_command(folder, client.status(folder), host, command or ())
        os.execvp(words[0], words)  # noqa: S606 no shell of ours between the person and the host


@lab.command()
def fault(
    site: SiteArgument,
    name: Annotated[str | None, typer.Argument(help="Name of the fault; default: list all faults.")] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="Its parameters, such as switch=backend-leaf-01."),
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Clear this fault; without a name, all faults.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Inject a fault into a running lab, or clear it.

    Examples: `rackproof lab fault metrum-h200 dead-switch switch=frontend-leaf-01`,
    `rackproof lab fault metrum-h200 swapped-cable switch=backend-leaf-01 first=Eth1/1/1 second=Eth1/1/2`,
    `rackproof lab fault metrum-h200 --clear`.
    """
    from lab import faults  # noqa: PLC0415 not needed to start
    from lab.daemon import client  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        if clear:
            count = client.clear(lab_folder(site), name)
            output.line(f"{count} fault(s) cleared")
            output.result(cleared=count)
        elif name is None:
            output.table("Faults", ("fault", "parameters and meaning"), [(n, faults.usage(n)) for n in faults.names()])
            output.result(faults={n: faults.usage(n) for n in faults.names()})
        else:
            client.fault(lab_folder(site), name, fault_parameters(parameters or []))
            output.line(f"{name} is active; `rackproof lab fault {site} {name} --clear` clears it", "yellow")
            output.result(fault=name)


@lab.command()
def clock(
    site: SiteArgument,
    seconds: Annotated[float, typer.Argument(min=0, help="Seconds to advance the clock by.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Advance the clock of a running lab, so that rollback timers expire."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        client.advance_clock(lab_folder(site), seconds)
        show_status(client.status(lab_folder(site)), output)


@lab.command()
def down(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Stop the lab of a site and remove all its files, also after a crash."""
    from lab.daemon import client  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        was_running = client.down(lab_folder(site))
        output.line("the lab is down" if was_running else "no lab was running")
        output.result(was_running=was_running)


def lab_folder(site: str) -> "Path":
    """Return the folder of a site's lab; the site file is read only for a site outside inventory/."""
    from rackproof import paths  # noqa: PLC0415 not needed to start
    from rackproof.site.load import find_site, load_site, site_names  # noqa: PLC0415 likewise

    return paths.lab_folder(site if site in site_names() else load_site(find_site(site)).site.site)


def fault_parameters(words: list[str]) -> dict[str, str]:
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
    """Print the state of the lab."""
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
        output.line(f"active fault: {active.name} {words}", "yellow")


def show_hosts(now: "LabStatus", output: Output) -> None:
    """Print the hosts, and which parts of the lab are simulated."""
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
    """Return a path, relative where it lies below the current folder."""
    from rackproof.cli.excerpt import shown_path  # noqa: PLC0415 not needed to start

    return shown_path(path)
