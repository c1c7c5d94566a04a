"""Rackproof's own Pulumi provider: each resource is a thin shell around one deploy step."""
