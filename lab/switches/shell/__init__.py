"""The login shell of a lab switch: as much of bash and coreutils as administration over SSH needs."""
