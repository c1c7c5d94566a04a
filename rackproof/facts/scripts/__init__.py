"""Scripts that run on a host with nothing but Python, and print JSON.

They import nothing of Rackproof, because they are sent over SSH or copied by Ansible. Their output is parsed
in `rackproof/facts/hosts`; start with `gather_facts.py`.
"""
