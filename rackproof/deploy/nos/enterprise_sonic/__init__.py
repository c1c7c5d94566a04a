"""Dell Enterprise SONiC: Linux with ``sonic-cli`` on top."""

from rackproof.deploy.nos.enterprise_sonic import safeguard
from rackproof.deploy.nos.enterprise_sonic.disruption import disruption
from rackproof.deploy.nos.enterprise_sonic.reading import RUNNING, SURROUNDINGS, checked_running, surroundings_of
from rackproof.deploy.nos.enterprise_sonic.session import SonicSession as Session
from rackproof.deploy.nos.enterprise_sonic.stages import next_stage

__all__ = [
    "RUNNING",
    "SURROUNDINGS",
    "Session",
    "checked_running",
    "disruption",
    "next_stage",
    "safeguard",
    "surroundings_of",
]
