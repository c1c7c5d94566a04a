"""RDMA, storage and ping traffic over the rails: who sends to whom, how, and what the counters say of it.

Start with `campaign.py`, which holds the runs of a site; `coupled_gate.py` judges a bandwidth with the counters of its
ports.
"""
