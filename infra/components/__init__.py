"""Component resources: what belongs together in a site, declared from its plan."""
