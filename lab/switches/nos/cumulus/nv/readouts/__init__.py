"""Read-outs, one module a subject: ``READOUTS`` lists words, where the data comes from, and its table (or None)."""
