"""One folder a network operating system, named like its catalogue entry; nothing lists them."""
