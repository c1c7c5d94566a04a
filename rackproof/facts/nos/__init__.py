"""Reads what switches print: a package for each NOS, found by its name in the catalogue.

`readers.py` states what a package must offer, and `columns.py` reads tables of fixed columns. Connections belong in
`rackproof/gather`, expected values in `validation/expected`. Start with `readers.py`.
"""
