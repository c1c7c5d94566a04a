"""The dossier as one signed file: archive, manifest, signature, keys, verification.

What the dossier says is worked out one folder up, and how it looks in `formats/`. Start with `archive.py`.
"""
