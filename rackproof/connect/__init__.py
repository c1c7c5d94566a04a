"""Connections to devices: SSH, Redfish, credentials, host keys, and the errors of a connection.

The only part of the library that opens connections. What is asked is decided in `gather`, `measure` and `deploy`. Start
with `ssh.py`.
"""
