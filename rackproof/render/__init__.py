"""Plan to text, and text back to the intent it states."""
