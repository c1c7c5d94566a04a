"""The vendor-neutral intent of one switch, put together from fabric and network.

What a NOS can express of it is in `rackproof/plan/network/roce.py` and in `rackproof/render/nos`. Start with
`intent.py`.
"""
