"""What the task ``fabric_switches`` takes and gives; the work is done by the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = """
module: fabric_switches
short_description: Makes the switches of a fabric what the site file asks for
description:
  - Runs the product's own deploy steps on this machine, so that rendered configuration, comparison, timed return and
    order are those of C(rackproof up). In check mode it compares, and changes nothing.
options:
  site: {description: Name of the site in the inventory or path of its site file., type: str, required: true}
  only: {description: Switches or fabrics; without it all., type: list, elements: str, default: []}
  access: {description: How devices are reached., type: path}
  allow_disruption: {description: Whether changes that interrupt somebody may be made., type: bool, default: false}
author: [Rackproof]
"""

EXAMPLES = """
- name: Bring the fabrics about
  fabric_switches:
    site: metrum-h200
"""

RETURN = """
devices:
  description: For each switch what differed before.
  returned: always
  type: list
  elements: dict
results:
  description: How each switch ended.
  returned: when something was changed
  type: list
  elements: dict
"""
