"""Gathers facts from devices, side by side: hosts, switches, discovery, comparison with as-built.

It only reads. Answers are parsed in `rackproof/facts`; traffic is generated in `rackproof/measure`. Start with
`hosts.py`.
"""
