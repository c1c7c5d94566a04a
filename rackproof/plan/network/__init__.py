"""What runs over the links: addresses, ASNs, underlay, overlay, RoCE, service VLANs, subnet managers.

Links and ports come from `fabric`; what one switch or host is configured with is put together in `switches` and
`hosts`. Start with `number_fabrics.py`.
"""
