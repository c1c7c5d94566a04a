"""Storage of the lab: clusters whose nodes are virtual machines that serve NFS at the planned addresses."""
