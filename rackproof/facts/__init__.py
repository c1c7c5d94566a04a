"""Facts: what a device says. One pure parser a read-out, a module a NOS or host subsystem."""
