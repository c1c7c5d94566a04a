"""Deployment of hosts: the intended files and settings, their differences, and Ansible to apply them.

One step a host, so that every host has its own progress and outcome and waits for its redundancy group. Hosts that
begin together share one run of Ansible: one process for each host would cost a large site more than the work itself.
"""
