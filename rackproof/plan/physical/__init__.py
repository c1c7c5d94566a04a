"""What stands in racks and is plugged in: places, cables, optics, power cords, loads.

Which port connects to which is decided in `fabric`. Start with `placement.py`.
"""
