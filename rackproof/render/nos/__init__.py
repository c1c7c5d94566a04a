"""Network operating systems: one package each, named like its catalogue entry with underscores, found by that name.

Each offers what ``rackproof.render.switch.NosRenderer`` asks for: ``render``, ``parse`` and ``owned_tree``.
"""
