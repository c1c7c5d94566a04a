"""Ways to build a fabric, one module each, found by its name."""
