"""Asks devices what they are and do, all side by side: hosts, switches, discovery, comparison with as-built.

It only reads. What an answer means is in `rackproof/facts`; traffic is generated in `rackproof/measure`. Start with
`hosts.py`.
"""
