"""Which device reaches which service over the planned network, and by which path.

The links, addresses and sessions themselves are planned in `fabric` and `network`. Start with `reachability.py`.
"""
