"""Ways to build a fabric, one module each.

A topology module has a docstring (its first line is what the user reads), ``ROLES``, ``NOS_FEATURES``,
``STANDS_WITH_DEVICES`` and ``lay_out(demand, problems) -> Layout``. `rackproof/plan/fabric/topology.py` loads it by its
name. Racks and cable lengths are in `physical`, addresses in `network`. Start with `single_switch.py`.
"""
