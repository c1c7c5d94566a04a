"""What exists: the catalogue."""
