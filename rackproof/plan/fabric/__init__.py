"""The switches, ports and links of a fabric: demand, cable fit, port allocation, Clos sizes, topologies.

A topology is one module of `topologies/`. Racks and cable lengths are in `physical`, addresses in `network`. Start with
`draft.py`.
"""
