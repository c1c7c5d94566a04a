"""RoCE: classes, thresholds and times that do not contradict each other."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import roce_fabrics
from rackproof.site.models import Site

ONE_CLASS: Final = "a packet can belong to one class only"


def priorities_are_used_once(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No two classes, congestion notifications among them, share a priority."""
    for _, roce, path in roce_fabrics(site, catalogue):
        counted: Counter[int] = Counter()
        for number, lossless in enumerate(roce.lossless):
            counted[lossless.priority] += 1
            if counted[lossless.priority] == 2:
                message = f"two lossless classes have priority {lossless.priority}"
                yield SiteError(
                    (*path, "lossless", number, "priority"), message, "give each class a priority of its own"
                )
        if roce.cnp_priority in counted:
            message = f"congestion notifications have priority {roce.cnp_priority}, which a lossless class has too"
            hint = "they must not wait behind the data that causes the congestion: choose another priority, usually 6"
            yield SiteError((*path, "cnp_priority"), message, hint)


def code_points_are_used_once(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No DSCP belongs to two classes, congestion notifications among them."""
    for _, roce, path in roce_fabrics(site, catalogue):
        owners: dict[int, int] = {}
        for number, lossless in enumerate(roce.lossless):
            for place, dscp in enumerate(lossless.dscp):
                if dscp in owners:
                    where: ValuePath = (*path, "lossless", number, "dscp", place)
                    yield SiteError(where, f"DSCP {dscp} is in a lossless class already", ONE_CLASS)
                owners.setdefault(dscp, lossless.priority)
        if roce.cnp_dscp in owners:
            owner = owners[roce.cnp_dscp]
            message = f"congestion notifications have DSCP {roce.cnp_dscp}, which is in the lossless class {owner}"
            yield SiteError((*path, "cnp_dscp"), message, ONE_CLASS)


def hosts_mark_a_lossless_class(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """What hosts mark RoCE data with is in a lossless class."""
    for _, roce, path in roce_fabrics(site, catalogue):
        lossless = sorted(set(chain.from_iterable(one.dscp for one in roce.lossless)))
        if lossless and roce.host_dscp not in lossless:
            message = f"hosts mark RoCE data with DSCP {roce.host_dscp}, which is in no lossless class"
            yield SiteError((*path, "host_dscp"), message, f"lossless code points: {', '.join(map(str, lossless))}")


def marking_begins_before_it_is_full(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The queue length at which marking begins is below that at which every packet is marked."""
    for _, roce, path in roce_fabrics(site, catalogue):
        if roce.ecn.kmin_bytes >= roce.ecn.kmax_bytes:
            message = f"kmin_bytes is {roce.ecn.kmin_bytes}, and kmax_bytes is {roce.ecn.kmax_bytes}"
            hint = "marking begins at kmin and is complete at kmax: kmin must be the smaller one"
            yield SiteError((*path, "ecn", "kmin_bytes"), message, hint)


def watchdog_times_are_in_order(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The PFC watchdog polls at least once within each of its times."""
    for _, roce, path in roce_fabrics(site, catalogue):
        watchdog = roce.pfc_watchdog
        for name, time_ms in (("detect_ms", watchdog.detect_ms), ("restore_ms", watchdog.restore_ms)):
            if time_ms < watchdog.poll_ms:
                message = f"{name} is {time_ms} ms, and the watchdog polls every {watchdog.poll_ms} ms"
                yield SiteError((*path, "pfc_watchdog", name), message, "it cannot be shorter than poll_ms")


def bandwidth_is_shared(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The lossless classes get some bandwidth each, and leave some to the rest."""
    for _, roce, path in roce_fabrics(site, catalogue):
        least = max(len(roce.lossless), 1)
        if not least <= roce.bandwidth_percent <= 99:
            message = f"bandwidth_percent must be from {least} to 99, not {roce.bandwidth_percent}"
            hint = "every lossless class and everything else need a share; 50 is the vendor's recommendation"
            yield SiteError((*path, "bandwidth_percent"), message, hint)
