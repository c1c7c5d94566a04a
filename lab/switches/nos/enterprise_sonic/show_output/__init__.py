"""Show output and other executive commands, one module a subject; ``COMMANDS`` lists the commands of a module."""
