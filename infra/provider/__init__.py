"""Rackproof's own Pulumi provider: each resource is a thin shell around one deploy step."""

import os

# Ansible is started by a fork (ptyprocess). gRPC's handlers for forks touch, in the child, what other threads were at,
# and one child in twenty ended with a segmentation fault before it became Ansible. The child needs no gRPC.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
