"""What is asked: the site file."""
