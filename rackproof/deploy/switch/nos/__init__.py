"""How the network operating systems differ for a deployment: one module each, found by the name of the NOS."""
