"""Programs on remote hosts: started together, bounded in time, with nothing left behind.

`agent.py` runs on the host, `runner.py` here. What is started is decided in `traffic` and `outage`.
"""
