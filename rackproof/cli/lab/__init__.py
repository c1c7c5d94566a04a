"""The verbs of the lab, all under `rackproof lab`.

The work is done in `lab`; here it is requested and printed.
"""

from typing import Final

PANEL: Final = "Lab: the whole site on this machine"
VERBS: Final = ("lab",)
"""One group of verbs; they stand in `lab.py` in the order of use."""
