"""Planned outages: a device, a leg of a bond, a storage node or the whole site, and how long traffic was lost.

Traffic on a healthy site is in `traffic`. Start with `device_outage.py`.
"""
