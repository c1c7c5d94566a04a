"""What will be: the plan, derived from the site by pure functions."""
