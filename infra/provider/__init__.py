"""Rackproof's Pulumi provider: each resource runs one deploy step of `rackproof/deploy`.

Here is the service that the engine calls; `kinds` has one module for each resource type, `common` what they share.
The engine puts this folder on the module path: a module or package here must not have a name of the standard library.
"""

import os

# Ansible is started by a fork (ptyprocess). gRPC's handlers for forks touch, in the child, what other threads were at,
# and one child in twenty ended with a segmentation fault before it became Ansible. The child needs no gRPC.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
