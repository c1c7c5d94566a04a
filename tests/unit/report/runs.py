"""Runs for the tests of the dossier: small ones that passed or failed, and a fleet, all made of the same few checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rackproof.results import Calibration, Check, Device, Expected, Result, Run, Threshold, Waiver, encoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RAILS: Final = range(8)
SECRET: Final = "correct-horse-battery"
BANDWIDTH: Final = Threshold(
    384.0,
    "Gb/s",
    "at least",
    "OCI active_healthcheck.py, ib_write_bw over RoCE",
    "96 % of 400 Gb/s",
    392.1,
    "goodput of 400 Gb/s at MTU 4096",
)
LATENCY: Final = Threshold(5.0, "us", "at most", "OCI active_healthcheck.py, ib_write_lat")
CHECKS: Final = (
    Check("inventory/gpus", "Every GPU of the model is there, and no other.", ("HWING01", "BMAAS08")),
    Check("inventory/bios", "The BIOS is the one of the release.", ("ATTEST02",)),
    Check("cabling/neighbour", "Every port sees the neighbour of the plan.", ("NET01",)),
    Check("links/errors", "No port counts errors."),
    Check("roce/pfc", "PFC is on for exactly the lossless priority of every rail port."),
    Check("roce/dscp", "Traffic of RDMA carries the DSCP of the fabric."),
    Check("rdma/write-bandwidth", "Each rail writes at line rate to the same rail of another server.", ("BMAAS06",)),
    Check("rdma/write-latency", "Each rail answers as fast as its adapter can."),
    Check("storage/transport", "Mounts use RDMA, as mountstats says.", ("N-016",)),
    Check("services/clock", "Clocks agree with the time servers of the site."),
    Check("gpu/throttling", "No GPU is slowed down."),
)
LEAF_CHECKS: Final = ("cabling/neighbour", "links/errors", "roce/pfc")
NOT_PROVEN: Final = (
    "Throughput and latency: soft-RoCE says that RDMA works, and nothing of speed.",
    "Optics and signal quality: the lab's cables are made of software.",
)


def make_run(servers: int = 2, *, rehearsal: bool = False) -> Run:
    """A run in which everything passed."""
    names = [f"gpu-{number:03d}" for number in range(1, servers + 1)]
    leaves = [f"leaf-{number:02d}" for number in range(1, max(2, servers // 32) + 1)]
    results = tuple(result for place, name in enumerate(names) for result in _server_results(name, place))
    results += tuple(result for name in leaves for result in _leaf_results(name))
    return Run(
        schema_version=1,
        site="two-racks" if servers < 100 else "large",
        release="metrum-2025",
        started="2026-11-21T08:00:00Z",
        ended="2026-11-21T08:04:10Z",
        rackproof="0.1.0 (5ee05f2)",
        rehearsal=rehearsal,
        selected=False,
        hashes={"plan.json": "00" * 32},
        assumptions=("racks.0.depth_mm: not in the design guide",),
        not_proven=NOT_PROVEN if rehearsal else (),
        checks=CHECKS,
        expected=tuple(dict.fromkeys(Expected(one.check_id, one.device) for one in results)),
        results=results,
        devices=(
            *(
                Device(name, "server", "dell-xe9680-h200", f"7K{place:05d}", {"BIOS": "2.7.4", "kernel": "6.8.0-60"})
                for place, name in enumerate(names)
            ),
            *(Device(name, "switch", "dell-z9864f-on", f"CN{name}", {"Enterprise SONiC": "4.5.0"}) for name in leaves),
        ),
        suites={"roce": "RoCE: every port says what the plan says", "rdma": "RDMA: rails carry what they must"},
        commands={"server": ("lspci -vv", "nvidia-smi -q -x"), "switch": ("show interface counters",)},
    )


def _server_results(name: str, place: int) -> Iterator[Result]:
    log = (f"facts/{name}.json",)
    yield Result("inventory/gpus", name, "passed", name, expected="8 x H200", actual="8 x H200", logs=log)
    yield Result("inventory/bios", name, "passed", name, expected="2.7.4", actual="2.7.4", logs=log)
    yield Result("services/clock", name, "passed", name, expected="within 0.1 s", actual="0.002 s", logs=log)
    yield Result("gpu/throttling", name, "passed", name, expected="none", actual="none", evidence="recorded", logs=log)
    yield Result("storage/transport", f"{name}:/data", "passed", name, expected="rdma", actual="rdma", logs=log)
    for rail in RAILS:
        port = f"{name}:rail{rail}"
        yield Result("roce/pfc", port, "passed", name, rail, "priority 3", "priority 3", logs=log)
        yield Result("roce/dscp", port, "passed", name, rail, "DSCP 26", "DSCP 26", logs=log)
        speed = 386.5 + (place * 7 + rail * 3) % 50 / 10
        pair, logs = f"{port} > gpu-{place + 2:03d}:rail{rail}", (f"logs/{name}-rail{rail}.txt",)
        yield measured("rdma/write-bandwidth", pair, name, rail, speed, BANDWIDTH, logs)
        yield measured("rdma/write-latency", pair, name, rail, 2.1 + (place + rail) % 9 / 10, LATENCY, logs)


def measured(
    check: str, subject: str, device: str, rail: int, value: float, limit: Threshold, logs: tuple[str, ...]
) -> Result:
    """A result that is a measured value; its state follows from the threshold."""
    return Result(
        check,
        subject,
        "passed" if limit.allows(value) else "failed",
        device,
        rail,
        str(limit),
        f"{value:g} {limit.unit}",
        value,
        limit,
        remedy="" if limit.allows(value) else f"Reseat the cable of {device}:rail{rail}; compare both optics.",
        values={"CNPs": "0", "PFC pauses on priority 3": "12"},
        logs=logs,
        duration_s=4.0,
    )


def _leaf_results(name: str) -> Iterator[Result]:
    for check in LEAF_CHECKS:
        for port in ("Eth1/1", "Eth1/2"):
            yield Result(check, f"{name}/{port}", "passed", name, expected="as planned", actual="as planned")


def calibrated_run() -> Run:
    """The same run, held against a baseline that is stricter than the source for all but one value of a check."""
    run = make_run()
    results = []
    for place, one in enumerate(run.results):
        limit = one.threshold
        if limit is BANDWIDTH and one.measured and place > 20:
            limit = replace(limit, value=one.measured * 0.996, source="5 % off the baseline", calibrated=True)
        results.append(replace(one, threshold=limit))
    return replace(run, results=tuple(results), calibration=Calibration("baseline.yaml", "2026-11-20T10:00:00Z", 40))


def failed_run(servers: int = 2) -> Run:
    """The same run with something of everything: failed, error, missing, skipped and waived."""
    run = make_run(servers)
    results = list(run.results)
    changes = {
        ("roce/pfc", "gpu-001:rail3"): Result(
            "roce/pfc", "gpu-001:rail3", "failed", "gpu-001", 3, "priority 3", "none",
            message="PFC is off on this port", remedy="`rackproof up two-racks --only gpu-001` sets it.",
            logs=("facts/gpu-001.json",),
        ),
        ("services/clock", "gpu-002"): Result(
            "services/clock", "gpu-002", "error", "gpu-002", message="chronyc did not answer within 10 s",
            remedy="See whether the host hangs: `rackproof lab ssh gpu-002`.", logs=("facts/gpu-002.json",),
        ),
        ("gpu/throttling", "gpu-001"): Result(
            "gpu/throttling", "gpu-001", "skipped", "gpu-001", message="no load ran, so nothing can be said"
        ),
        ("inventory/bios", "gpu-002"): Result(
            "inventory/bios", "gpu-002", "waived", "gpu-002", expected="2.7.4", actual="2.6.1",
            waiver=Waiver("inventory/bios", "gpu-*", "Ada Example", "update planned for the next window", "2026-12-31"),
        ),
        ("cabling/neighbour", "leaf-01/Eth1/1"): Result(
            "cabling/neighbour", "leaf-01/Eth1/1", "failed", "leaf-01", expected="gpu-001:rail0",
            actual="gpu-001:rail1", message="swapped with leaf-01/Eth1/2",
            remedy="Swap the cables in leaf-01/Eth1/1 and leaf-01/Eth1/2.",
        ),
    }  # fmt: skip
    for place, one in enumerate(results):
        if (one.check_id, one.subject) in changes:
            results[place] = changes[one.check_id, one.subject]
        elif one.check_id == "rdma/write-bandwidth" and one.device == "gpu-002" and one.rail == 5:
            results[place] = measured(one.check_id, one.subject, one.device, 5, 197.3, BANDWIDTH, one.logs)
    gone = ("storage/transport", "gpu-002:/data")
    kept = tuple(one for one in results if (one.check_id, one.subject) != gone)
    return replace(run, results=kept)


def write_run(folder: Path, run: Run) -> Path:
    """Write a run with raw evidence; a device says a secret in one of the files."""
    path = folder / "20261121T080000Z"
    path.mkdir(parents=True)
    (path / "run.json").write_bytes(encoded(run))
    for name in dict.fromkeys(log for result in run.results for log in result.logs):
        file = path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'{{"uname -a": [0, "{file.stem} Linux 6.8.0\\n", ""]}}\n', encoding="utf-8")
    return path
