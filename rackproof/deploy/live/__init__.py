"""Live checks: traffic that is sent on purpose, with what adapters and switches counted meanwhile."""
