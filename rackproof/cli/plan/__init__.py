"""Verbs that need a site file and no device: check, plan, render, documents, inventory, schema.

The work is done in `rackproof/plan` and `rackproof/render`; here it is asked for and printed.
"""
