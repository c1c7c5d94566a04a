"""Package doubles: what vendors' repositories have and a lab's hosts cannot get, as far as bring-up asks for it."""
