"""Rackproof: declarative provisioning and acceptance of AI-factory sites.

One typed site file becomes a plan; from the plan come cabling, switch configuration, deployment and the tests that
prove the site. Imports run one way (see ``docs/architecture.md``); a test holds them to it.
"""
