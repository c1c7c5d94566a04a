"""The dossier: the results of one validation, for the people who accept a site.

`content/` holds what it says, `formats/` how it looks, `bundle/` how it is signed; `build.py` puts the three together.
Everything here reads results and writes bytes; no device is asked. The command line decides where the files go.
"""
