"""Where the engine starts the provider: ``python infra/provider <address of the engine>``."""

import sys
from importlib.metadata import version

from infra.provider.kinds import discovered_kinds
from infra.provider.operations import RackproofProvider
from infra.provider.service import serve

if __name__ == "__main__":
    released = version("rackproof")
    serve(sys.argv[1], released, lambda account: RackproofProvider(released, discovered_kinds(), account))
