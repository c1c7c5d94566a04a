"""What hosts say: scripts that run on them with nothing but Python, and what their answers mean."""
