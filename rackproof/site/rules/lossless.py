"""Lossless traffic: switches, their NOS and adapters that can carry it."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import entry, groups_on, roce_fabrics
from rackproof.site.models import Site

PLAN_NEEDS: Final = True


def lossless_classes_are_few(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric has one lossless class at least, and no more than its NOS takes (two, as a rule)."""
    for name, roce, path in roce_fabrics(site, catalogue):
        nos = entry(catalogue.nos, site.fabrics[name].nos)
        most = nos.roce.lossless_priorities_max if nos and nos.roce else None
        if not roce.lossless:
            hint = "leave lossless out to take the vendor's recommendation"
            yield SiteError(
                (*path, "lossless"), "RoCE without a lossless class loses packets when links are full", hint
            )
        elif nos and most is not None and len(roce.lossless) > most:
            message = f"{len(roce.lossless)} lossless classes are set, and {nos.name} supports {most}"
            yield SiteError((*path, "lossless"), message, "RoCE needs one; keep the second for storage")


def switches_have_lossless_buffers(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric with RoCE has switches with lossless buffers."""
    for name, _, path in roce_fabrics(site, catalogue):
        switch = entry(catalogue.switch, site.fabrics[name].switch)
        if switch is not None and switch.buffers is None and switch.link_layer == "ethernet":
            message = f"{switch.name} has no lossless buffers, and the fabric {name} carries RoCE"
            yield SiteError(path, message, "say roce: none, or choose another switch")


def adapters_speak_roce(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric with RoCE connects adapters that can do RoCE."""
    for name, _, _ in roce_fabrics(site, catalogue):
        for number, group in groups_on(site, name):
            nic = entry(catalogue.nic, group.nics[name])
            if nic is not None and not nic.roce and nic.link_layer == "ethernet":
                message = f"{nic.name} cannot do RoCE, and the fabric {name} carries it"
                yield SiteError(("servers", number, "nics", name), message, "choose another adapter, or say roce: none")
