"""Verbs that read or change the devices of a site; each module has the name of its verb.

The work is done in `rackproof/deploy` and `rackproof/gather`; here it is requested and printed.
"""

from typing import Final

PANEL: Final = "Deploy: read and change devices"
VERBS: Final = ("trust", "discover", "diff", "up")
"""In the order of use, which is the order of `rackproof --help`."""
