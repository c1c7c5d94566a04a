"""The fabric of a lab: a network namespace for every switch, configured from its running configuration.

Packets between hosts pass through it. Start with `fabric.py`; `live.py` is what switches show of it.
"""
