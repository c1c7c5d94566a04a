"""The formats of a dossier: HTML page, PDF, Markdown, JUnit XML.

A module here turns findings into one format and decides nothing about them. Start with `page.py`.
"""
