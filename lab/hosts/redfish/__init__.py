"""The management controller of a lab's server: Redfish as an iDRAC 9 speaks it, as far as bring-up asks it."""
