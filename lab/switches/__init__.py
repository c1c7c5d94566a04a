"""A switch of the lab: SSH server, shell, file system, timers and the state of its ports.

What one NOS does is in `nos/<nos>/`; real packets are in `lab/fabric`. Start with `switch.py`.
"""
