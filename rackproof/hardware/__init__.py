"""The hardware catalogue: servers, switches, adapters, racks, cables, network operating systems.

One YAML file a model, found by its file name; every figure names its source. Start at ``models`` (the fields of a file)
and ``load`` (how an entry is looked up).
"""
