"""Show output, one module a subject: ``SHOWS`` lists words, the function for the data, and its table (or None)."""
