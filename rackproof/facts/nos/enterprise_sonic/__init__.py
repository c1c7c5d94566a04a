"""Dell Enterprise SONiC: what ``sonic-cli`` prints, a table or a running configuration for all ports at once.

The tables are those of the management framework's renderer; where it has none that is public, of the parsers of AMD's
node-scraper (fec, watchdog) and of Broadcom's spytest (``show queue wred-ecn counters``, whose titles are taken to be
those of SONiC's ``show queue wredcounters``). Each module holds the commands and readers of related subjects;
`shows.py` runs ``sonic-cli`` and `sonic_cli.py` parses the tables that deployment reads too. Start with
`interfaces.py`.
"""

from rackproof.facts.nos.enterprise_sonic import counters, interfaces, overlay, qos, routing, system
from rackproof.facts.nos.readers import SwitchReaders

READERS = SwitchReaders(
    identity=system.IDENTITY,
    running=system.RUNNING,
    ports=interfaces.PORTS,
    links=interfaces.LINKS,
    neighbours=interfaces.NEIGHBORS,
    macs=interfaces.MACS,
    sessions=routing.SESSIONS,
    vnis=overlay.VNIS,
    segments=overlay.SEGMENTS,
    routes=routing.ROUTES,
    traffic=counters.TRAFFIC,
    pauses=counters.PAUSES,
    roce=qos.ROCE,
    optics=interfaces.OPTICS,
    buffers=qos.BUFFERS,
)
