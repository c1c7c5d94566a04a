"""Real traffic between the hosts of a running lab: RDMA over each rail, and NFS over RDMA."""
