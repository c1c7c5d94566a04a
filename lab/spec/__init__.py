"""What the lab builds: switches, ports, cables and hosts, and how a site is scaled down to one machine.

Only `from_plan.py` knows the plan; everything else of the lab is built from `models.py`.
"""
