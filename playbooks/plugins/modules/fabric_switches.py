"""Documentation of the task ``fabric_switches``; the action plugin of the same name runs it."""

from __future__ import annotations

DOCUMENTATION = """
module: fabric_switches
short_description: Deploys the switches of a site
description:
  - Runs the deploy steps of C(rackproof up) on the Ansible controller, with the same rendered configuration,
    comparison, timed rollback and order. In check mode it compares and changes nothing.
options:
  site: {description: Name of the site in the inventory or path of its site file., type: str, required: true}
  only: {description: Switches or fabrics; default all., type: list, elements: str, default: []}
  access: {description: Path of access.yaml., type: path}
  allow_disruption: {description: Whether to apply changes that interrupt traffic., type: bool, default: false}
author: [Rackproof]
"""

EXAMPLES = """
- name: Deploy the fabrics
  fabric_switches:
    site: metrum-h200
"""

RETURN = """
devices:
  description: The differences of each switch before the run.
  returned: always
  type: list
  elements: dict
results:
  description: The outcome of each switch.
  returned: unless in check mode
  type: list
  elements: dict
"""
