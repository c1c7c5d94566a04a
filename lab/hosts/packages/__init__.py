"""Fake packages: stand-ins for packages of vendors' repositories that bring-up installs and the lab cannot get."""
