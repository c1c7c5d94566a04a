"""Servers and storage nodes as planned, and the intent of one host.

Rendering of this intent for Ansible is in `rackproof/render`. Start with `servers.py` for the plan, with `intent.py`
for what one host is configured with.
"""
