"""Deployment of switches: read, diff, apply, confirm, roll back.

What holds for every NOS is here, what one NOS does in its own way is in `nos/<nos>/`. Connections are opened in
`rackproof/connect`; hosts are deployed in `rackproof/deploy/nodes`. Start with `step.py`, then `transaction.py`.
"""
