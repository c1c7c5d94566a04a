"""A network namespace for every lab switch, configured from what the switch has accepted, so that packets are real."""
