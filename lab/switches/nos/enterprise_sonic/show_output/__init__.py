"""Read-outs and other executive commands: one module each, found by this folder; ``COMMANDS`` lists what it has."""
