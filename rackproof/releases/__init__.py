"""Version sets that belong together: one YAML file a set, with the rules of what goes with what."""
