"""Verbs that read or change the devices of a site: trust, discover, diff, up.

The work is done in `rackproof/deploy` and `rackproof/gather`; here it is asked for and printed.
"""
