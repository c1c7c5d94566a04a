"""Verbs of acceptance, from the suites to the signed dossier; each module has the name of its verb.

The work is done in `validation` and `rackproof/report`; here it is requested and printed.
"""

from typing import Final

PANEL: Final = "Prove: validate, and hand over"
VERBS: Final = ("validate", "report", "verify", "keygen")
"""In the order of use, which is the order of `rackproof --help`."""
