"""What exists: servers, switches, adapters, racks, cables. One YAML file a model, found by its name."""
