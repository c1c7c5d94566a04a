"""Deploy: read, compare, apply. The only part of the library that opens connections."""
