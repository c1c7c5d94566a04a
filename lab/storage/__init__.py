"""Storage of the lab: clusters whose nodes are virtual machines that serve NFS at the addresses that the plan has."""
