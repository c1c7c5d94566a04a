"""Hosts of the lab that are machines: virtual ones with a real kernel, whose ports are plugged into the fabric."""
