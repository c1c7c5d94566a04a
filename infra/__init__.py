"""Rackproof with Pulumi: a program that declares the plan of a site, and the provider that deploys it.

Start with `__main__.py`, the program. Its `components` declare resources with the `inputs` of the plan; `provider`
turns each resource into a deploy step of `rackproof/deploy`, so that Pulumi and `rackproof up` run the same steps.
"""
