"""Read-outs, one module a subject: ``SHOWS`` lists words, where the data comes from, and its table (or None)."""
