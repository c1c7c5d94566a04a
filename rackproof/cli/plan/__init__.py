"""Verbs that need a site file and contact no device; each module has the name of its verb.

The work is done in `rackproof/plan` and `rackproof/render`; here it is requested and printed.
"""

from typing import Final

PANEL: Final = "Plan: from the site file, without devices"
VERBS: Final = ("check", "plan", "render", "documents", "inventory", "schema")
"""In the order of use, which is the order of `rackproof --help`."""
