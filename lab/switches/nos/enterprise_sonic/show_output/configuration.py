"""The configuration: shown, saved, copied."""

from lab.switches.file_system import FileSystemError
from lab.switches.nos.enterprise_sonic.executive import Executive, Request
from lab.switches.nos.enterprise_sonic.running import render, render_block
from lab.switches.nos.enterprise_sonic.system import STARTUP_FILE
from lab.switches.nos.enterprise_sonic.tree import Configuration


async def running(request: Request) -> str:
    """The configuration in force."""
    return request.system.running_configuration()


async def startup(request: Request) -> str:
    """The configuration of the next boot."""
    configuration = Configuration(request.system.configuration.root)
    configuration.load(request.system.switch.files.read(STARTUP_FILE))
    return render(configuration.root)


async def running_interface(request: Request) -> str:
    """The configuration of one interface."""
    key = f"interface {request.arguments['name'].replace(' ', '')}"
    spaced = f"interface {request.arguments['name']}"
    children = request.system.configuration.root.children
    block = children.get(key) or children.get(spaced)
    if block is None:
        return ""
    return "\n".join(render_block(key if key in children else spaced, block)) + "\n"


async def write(request: Request) -> str:
    """Make the configuration in force the one of the next boot."""
    try:
        request.system.save()
    except FileSystemError as error:
        return f"%Error: {error}\n"
    return ""


async def reboot(request: Request) -> str:
    """Restart."""
    request.system.switch.reboot()
    return ""


COMMANDS = (
    Executive("show running-configuration", "X enable_mode", running),
    Executive("show running-configuration interface <name:interface>", "X interface", running_interface),
    Executive("show startup-configuration", "U", startup),
    Executive("write memory", "X config_mgmt", write),
    Executive("copy running-configuration startup-configuration", "U", write),
    Executive("reboot", "X infra_cli", reboot),
)
