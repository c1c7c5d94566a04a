"""The machine: version, clock, platform."""

from lab.switches.nos.enterprise_sonic.executive import Executive, Request
from lab.switches.nos.enterprise_sonic.system import EDITION, SOFTWARE_VERSION


def _uptime(request: Request) -> str:
    switch = request.system.switch
    minutes = int(switch.clock.now() - switch.booted_at) // 60
    return f"up {minutes // 1440} day(s), {minutes // 60 % 24} hour(s), {minutes % 60} minute(s)"


async def version(request: Request) -> str:
    """show_version.j2."""
    spec = request.system.spec
    rows = {
        "Software Version": f"{spec.software}-{EDITION}" if spec.software else SOFTWARE_VERSION,
        "Product": "Enterprise SONiC Distribution by Dell Technologies",
        "Distribution": "Debian 11.9",
        "Kernel": "5.10.0-18-2-amd64",
        "Config DB Version": "version_4_5_1",
        "Platform": spec.platform,
        "HwSKU": spec.hwsku,
        "ASIC": spec.asic,
        "Serial Number": spec.serial_number,
        "Uptime": _uptime(request),
        "Mfg": "Dell EMC",
    }
    return "".join(f"{title:18}: {value}\n" for title, value in rows.items())


async def eeprom(request: Request) -> str:
    """platform_eeprom_show.j2."""
    spec = request.system.spec
    rows = {"Product Name": spec.product, "Serial Number": spec.serial_number, "Base MAC Address": spec.management_mac}
    rule = "-" * 60
    head = f"{'Attribute':24} :  Value/State"
    return "\n".join((rule, head, rule, *(f"{title:24} :  {value}" for title, value in rows.items()))) + "\n"


async def clock(request: Request) -> str:
    """Date and time."""
    return request.system.switch.clock.utc().strftime("%a %d %b %Y %I:%M:%S %p UTC\n")


async def uptime(request: Request) -> str:
    """Time since the last boot."""
    return f"{_uptime(request)}\n"


async def naming(_request: Request) -> str:
    """How ports are called."""
    return "Mode: standard\n"


COMMANDS = (
    Executive("show version", "X show_version", version),
    Executive("show platform syseeprom", "X platform", eeprom),
    Executive("show clock", "X infra_cli", clock),
    Executive("show uptime", "X infra_cli", uptime),
    Executive("show interface-naming", "X alias", naming),
)
