"""Releases: sets of versions that belong together, with the rules between them.

One YAML file a release, found by its file name. Start at ``models``.
"""
