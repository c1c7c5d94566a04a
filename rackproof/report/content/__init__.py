"""What a dossier says: a run's results sorted, summarised and put into words, the same for every format.

Nothing here formats a document or writes a file. Start with `findings.py`; `dossier.py` is what programs read.
"""
