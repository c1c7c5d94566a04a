"""The dossier: what one validation found out, for the people who accept a site and were not there.

It knows the results and nothing of how they came about. It gives bytes; the command line decides where they go.
"""
