"""Nodes: what hosts must hold, what differs there, and Ansible to bring it about.

One step a host, so that every host has its own progress, its own outcome and its own turn in its redundancy group.
Hosts whose turn comes together share one run of Ansible, which works on all of them at once; a process a host would
cost a large site more than the work itself.
"""
