"""What hosts say: scripts of the standard library alone, which run there, and pure parsers of what they print."""
