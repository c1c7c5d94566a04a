"""Runs programs on remote hosts: started together, bounded in time, ended with the connection.

`agent.py` runs on the host, `runner.py` here. Which programs run is decided in `traffic` and `outage`. Start with
`commands.py`.
"""
