"""Facts of devices: the read-only commands that ask for them, and one pure parser for each output.

A module belongs to a subsystem of hosts (`hosts/`), to a NOS (`nos/`) or to the scripts on hosts (`scripts/`).
Connections are in `rackproof/gather`. Start with `fact.py`.
"""
