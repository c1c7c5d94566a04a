"""What a server uses of the site's services: name servers and whether they answer, and its clock.

Sources: resolv.conf(5), systemd-resolved.service(8) (the file below /run lists the servers behind its stub);
chronyc(1), report ``tracking`` and ``sources`` with ``-c``; timedatectl(1), ``show`` and ``show-timesync``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, command_output

RESOLVERS: Final = "cat /run/systemd/resolve/resolv.conf 2>/dev/null || cat /etc/resolv.conf"
ASK: Final = (
    "import socket,struct,sys,threading\n"
    "def ask(server):\n"
    " s=socket.socket(socket.AF_INET6 if ':' in server else socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(1.5)\n"
    " q=struct.pack('!6H',4791,256,1,0,0,0)+b'\\0'+struct.pack('!2H',2,1)\n"
    " for _ in range(2):\n"
    "  try:\n"
    "   s.sendto(q,(server,53)); a=s.recv(4096)\n"
    "   if a[:2]==q[:2]: print(server,a[3]&15); return\n"
    "  except OSError: pass\n"
    " print(server,'silent')\n"
    "for one in sys.argv[1:]: threading.Thread(target=ask,args=(one,)).start()\n"
)
"""Asks every name server for the servers of the root, whose answer needs no name of this site's (RFC 1035, 4.1)."""
NAME_SERVERS: Final = (
    f"set -- $({{ {RESOLVERS}; }} | sed -nE 's/^nameserver ([0-9a-fA-F.:]+).*/\\1/p'); "
    f'[ $# = 0 ] || python3 -c "{ASK}" "$@"'
)
CLOCK: Final = "timedatectl show"
TRACKING: Final = "chronyc -n -c tracking"
SOURCES: Final = "chronyc -n -c sources"
TIMESYNC: Final = "timedatectl show-timesync"
SILENT: Final = "silent"
CHOSEN: Final = "*"
"""State of the source that chrony follows (chronyc(1), sources)."""
NEVER: Final = "0"
"""Reach of a source that has not answered any of the last eight times."""
NORMAL: Final = "Normal"
"""Leap status of a clock that follows a source (chronyc(1), tracking): the last column."""
OFFSET_AT: Final = 4
"""System time, in seconds before or behind: column of ``tracking`` with ``-c`` (chrony, client.c)."""


class TimeSource(Struct, frozen=True, gc=False):
    """A time server that a server is set to."""

    address: str
    answers: bool
    chosen: bool
    """It is what the clock follows."""


class Clock(Struct, frozen=True, gc=False):
    """The clock of a server."""

    sources: tuple[TimeSource, ...]
    synchronised: bool
    """The time service's word."""
    offset_s: float | None
    """How far the clock is off what it follows, in seconds; None: its time service does not say."""


class Services(Struct, frozen=True, gc=False):
    """What a server uses of the site's services."""

    name_servers: Mapping[str, bool]
    """Name server that it is set to, to whether it answers."""
    clock: Clock | str
    """In place of what cannot be known, why."""


def parse_services(answers: Answers) -> Services:
    """Return what a server uses of the site's services.

    Raises
    ------
    FactError
        The name servers are unknown.
    """
    servers = dict(_name_servers(command_output(answers, NAME_SERVERS)))
    try:
        return Services(servers, _clock(answers))
    except FactError as error:
        return Services(servers, error.message)


def clock_state(services: Services) -> Clock:
    """Return the clock.

    Raises
    ------
    FactError
        No time service answers.
    """
    if isinstance(services.clock, str):
        raise FactError(services.clock, "`rackproof up` sets a time service")
    return services.clock


def _clock(answers: Answers) -> Clock:
    """Return the clock's state from chrony, else from systemd's own service: one of the two runs."""
    sources = answers.get(SOURCES)
    if sources is not None and sources.status == 0:
        return _by_chrony(sources.output, command_output(answers, TRACKING))
    timesync = answers.get(TIMESYNC)
    if timesync is not None and timesync.status == 0:
        synchronised = _settings(command_output(answers, CLOCK)).get("NTPSynchronized") == "yes"
        return Clock(tuple(_timesync(_settings(timesync.output))), synchronised, None)
    said = sources.error.strip() or sources.output.strip() if sources is not None else ""
    raise FactError(f"no time service answers: {said or 'neither chrony nor systemd-timesyncd'}")


def _by_chrony(sources: str, tracking: str) -> Clock:
    rows = [line.split(",") for line in sources.splitlines()]
    row = tracking.strip().split(",")
    offset_s = abs(float(row[OFFSET_AT])) if len(row) > OFFSET_AT else None
    found = tuple(_source(one) for one in rows if len(one) > OFFSET_AT)
    return Clock(found, row[-1] == NORMAL, offset_s)


def _name_servers(text: str) -> Iterator[tuple[str, bool]]:
    for line in text.splitlines():
        server, _, said = line.partition(" ")
        yield server, said != SILENT


def _source(row: Sequence[str]) -> TimeSource:
    """Return a source: mode, state, address, stratum, poll, reach, ... (chronyc(1), sources)."""
    return TimeSource(row[2], row[5] != NEVER, row[1] == CHOSEN)


def _timesync(settings: Mapping[str, str]) -> Iterator[TimeSource]:
    """Yield the sources of systemd's service, which names the one that it follows."""
    chosen = settings.get("ServerAddress", "")
    for address in settings.get("SystemNTPServers", "").split():
        yield TimeSource(address, address == chosen, address == chosen)


def _settings(text: str) -> dict[str, str]:
    return {name: value for name, _, value in (line.partition("=") for line in text.splitlines())}


FACT: Final = Fact("services", (NAME_SERVERS, CLOCK, TRACKING, SOURCES, TIMESYNC), parse_services)
