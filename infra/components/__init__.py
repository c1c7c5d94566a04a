"""Component resources of the program: a fabric with its switches and gate, and the hosts, declared from the plan."""
