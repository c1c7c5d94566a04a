"""Outages on purpose: a device, a link, a storage node or the whole site, and how long traffic was lost.

Traffic of a healthy site is in `traffic`. Start with `device_outage.py`.
"""
