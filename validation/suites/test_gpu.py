"""GPU health: memory errors, clocks, power limits, driver and NVLinks."""

from typing import Final

from rackproof.facts.hosts import gpus, kernel_log
from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Server, applies_to, requirements
from validation.expected.host_adapters import skipped_as_virtual

REPLACE: Final = "drain the server and have the GPU replaced; keep `nvidia-bug-report.sh` for the maker"
ROWS_MAX: Final = Threshold(
    512.0,
    "rows",
    "at most",
    "Azure node health checks, azure_gpu_ecc.nhc: more than 512 rows remapped after uncorrectable errors",
    ceiling=0.0,
    ceiling_source="new memory",
)
NO_ERRORS: Final = Threshold(
    0.0, "errors", "at most", "Azure node health checks, azure_gpu_ecc.nhc: no uncorrectable error", formula="zero"
)
FATAL_XIDS: Final = frozenset({48, *range(56, 59), *range(62, 66), 68, 69, 73, 74, *range(79, 82), 92, 95, 119, 120})
"""Azure node health checks, azure_gpu_xid.nhc; 95 (uncontained memory error) by NVIDIA, XID errors."""


def has_gpus(server: Server) -> bool:
    """Whether accelerators are planned in it."""
    return server.model.gpus.count > 0


def is_nvidia(server: Server) -> bool:
    """Whether they are NVIDIA's."""
    return has_gpus(server) and server.model.gpus.vendor == "nvidia"


@applies_to(has_gpus)
@requirements("BMAAS08")
def test_memory_has_no_uncorrected_errors(server: Server, judge: Judge) -> None:
    """No GPU has counted an uncorrectable memory error."""
    if not is_nvidia(server) and skipped_as_virtual(server, judge, "error counters"):
        return
    for gpu in server.fact(gpus.FACT).with_part("ecc"):
        subject = f"{server.name}:gpu{gpu.index}"
        if gpu.uncorrected is None:
            judge.error(subject, "the GPU reports no count of memory errors", "is error correction (ECC) on?")
            continue
        judge.expect_within(subject, gpu.uncorrected, NO_ERRORS, remedy=REPLACE)
        if gpu.uncorrected_sram is not None:
            judge.expect_within(f"{subject}:caches", gpu.uncorrected_sram, NO_ERRORS, remedy=REPLACE)


@applies_to(is_nvidia)
def test_error_correction_is_on(server: Server, judge: Judge) -> None:
    """ECC is on for the memory of every GPU."""
    for gpu in server.fact(gpus.FACT).with_part("ecc"):
        said = {True: "on", False: "off", None: "not reported"}[gpu.ecc]
        remedy = f"`nvidia-smi -i {gpu.index} -e 1`, then boot"
        judge.expect_equal(f"{server.name}:gpu{gpu.index}", expected="on", actual=said, remedy=remedy)


@applies_to(is_nvidia)
@requirements("BMAAS08")
def test_memory_needs_no_repair(server: Server, judge: Judge) -> None:
    """No GPU has a pending or failed row remapping, and none has remapped too many rows."""
    for gpu in server.fact(gpus.FACT).with_part("rows"):
        subject, rows = f"{server.name}:gpu{gpu.index}", gpu.rows
        if rows is None:
            judge.error(subject, "the GPU reports no row remapping")
            continue
        remedy = "drain the server and reset the GPU (`nvidia-smi --gpu-reset`): the row is replaced then"
        judge.expect_equal(f"{subject}:pending", expected="no", actual="yes" if rows.pending else "no", remedy=remedy)
        judge.expect_equal(f"{subject}:failed", expected="no", actual="yes" if rows.failed else "no", remedy=REPLACE)
        judge.expect_within(subject, rows.uncorrectable, ROWS_MAX, remedy=REPLACE)


@applies_to(is_nvidia)
@requirements("BMAAS08")
def test_driver_reported_no_fault(server: Server, judge: Judge) -> None:
    """NVIDIA's driver has reported no Xid of a hardware fault since the server started."""
    fatal = [xid for xid in server.fact(kernel_log.FACT).xids if xid.number in FATAL_XIDS]
    shown = tuple(dict.fromkeys(f"Xid {xid.number} of {xid.pci_address}" for xid in fatal))
    remedy = "look the number up in NVIDIA's list of XID errors; drain the server until it is settled"
    judge.expect_equal(
        server.name, expected=(), actual=shown, remedy=remedy, values={"line": fatal[0].line} if fatal else {}
    )


@applies_to(is_nvidia)
def test_clocks_are_free(server: Server, judge: Judge) -> None:
    """No GPU is throttled by heat or power, and every GPU has the full clock and power limit."""
    found = server.fact(gpus.FACT).with_part("clocks")
    highest = max((gpu.max_clock_mhz or 0 for gpu in found), default=0)
    for gpu in found:
        subject = f"{server.name}:gpu{gpu.index}"
        remedy = "look at fans, air flow and power supplies"
        judge.expect_equal(f"{subject}:slowed", expected=(), actual=gpu.slowed, remedy=remedy)
        remedy = f"`nvidia-smi -i {gpu.index} --reset-gpu-clocks`"
        judge.expect_equal(f"{subject}:clock", expected=highest, actual=gpu.max_clock_mhz, unit="MHz", remedy=remedy)
        remedy = f"`nvidia-smi -i {gpu.index} --power-limit={gpu.default_power_limit_w}`"
        judge.expect_equal(
            f"{subject}:power", expected=gpu.default_power_limit_w, actual=gpu.power_limit_w, unit="W", remedy=remedy
        )


@applies_to(is_nvidia)
def test_driver_stays_loaded(server: Server, judge: Judge) -> None:
    """Persistence mode is on for every GPU.

    Without it every start of a program initialises the GPUs again.
    """
    for gpu in server.fact(gpus.FACT).gpus:
        said = "on" if gpu.persistent else "off"
        remedy = "`systemctl enable --now nvidia-persistenced`"
        judge.expect_equal(f"{server.name}:gpu{gpu.index}", expected="on", actual=said, remedy=remedy)


@applies_to(lambda server: server.model.gpus.nvlinks > 0)
@requirements("BMAAS06", "BMAAS08")
def test_nvlinks_are_up(server: Server, judge: Judge) -> None:
    """Every GPU has all its NVLinks, at full speed and without errors."""
    planned = server.model.gpus
    for gpu in server.fact(gpus.FACT).with_part("nvlinks"):
        subject = f"{server.name}:gpu{gpu.index}"
        up = [speed for speed in gpu.nvlinks if speed is not None]
        remedy = "restart the fabric manager, then boot; if it stays, the GPU or the switch board is at fault"
        judge.expect_equal(f"{subject}:links", expected=planned.nvlinks, actual=len(up), remedy=remedy)
        judge.expect_within(
            f"{subject}:speed", min(up, default=0.0), nvlink_speed(planned.nvlink_gbytes_per_s), remedy=remedy
        )
        judge.expect_within(f"{subject}:errors", gpu.nvlink_errors, NO_LINK_ERRORS, remedy=remedy)


NO_LINK_ERRORS: Final = Threshold(
    0.0, "errors", "at most", "nvidia-smi(1), nvlink --errorcounters: replay, recovery and CRC errors", formula="zero"
)


def nvlink_speed(gbytes_per_s: float) -> Threshold:
    """Return how fast the slowest NVLink of a GPU must be, one way."""
    return Threshold(
        gbytes_per_s,
        "GB/s",
        "at least",
        "catalogue: NVLink of this GPU; Oracle and Azure node health checks ask for the same 25 GB/s",
        ceiling=26.562,
        ceiling_source="what nvidia-smi shows of a fourth-generation link at full rate",
    )


@applies_to(lambda server: server.intent.gpus.fabric_manager)
def test_gpus_have_joined_the_nvswitches(server: Server, judge: Judge) -> None:
    """Every GPU is registered with the NVSwitch fabric.

    No CUDA program starts on a GPU that is not registered.
    """
    for gpu in server.fact(gpus.FACT).with_part("fabric"):
        remedy = "`systemctl status nvidia-fabricmanager` says why; its version must be the driver's"
        judge.expect_equal(
            f"{server.name}:gpu{gpu.index}", expected="Completed Success", actual=gpu.fabric, remedy=remedy
        )
