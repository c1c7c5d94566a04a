"""The provider's process, started by the engine: ``python infra/provider <address of the engine>``."""

import sys
from importlib.metadata import version

from infra.provider.kinds import discovered_kinds
from infra.provider.operations import RackproofProvider
from infra.provider.service import serve

if __name__ == "__main__":
    released = version("rackproof")
    serve(sys.argv[1], released, lambda progress: RackproofProvider(released, discovered_kinds(), progress))
