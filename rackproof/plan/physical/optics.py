"""Part numbers: what is plugged into a port, by the plan and the catalogue."""

from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import Assembly


def part_in(catalogue: Catalogue, assembly: Assembly, device: str) -> str | None:
    """Return the part number of what an assembly's end in a device is; None: the catalogue does not have it.

    Parameters
    ----------
    catalogue
        Where cables and optics are described.
    assembly
        The cable.
    device
        The device of the end that is asked for.
    """
    optic = assembly.trunk_transceiver if assembly.trunk.device == device else assembly.leg_transceiver
    if optic is not None:
        return catalogue.transceiver(optic).part_number
    cable = catalogue.cable(assembly.cable)
    return cable.part_numbers.get(f"{assembly.length_m:g}") if cable.media in {"dac", "acc", "aec", "aoc"} else None
