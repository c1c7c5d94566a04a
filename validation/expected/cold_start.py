"""The cold start before a run: its file in the run's folder, and how each device came back."""

from typing import Final

import msgspec

from rackproof.measure.outage.cold_start import Recovery
from rackproof.paths import RUN_LOGS
from validation.verdict.run_folder import RunFolder

COLD_START_FILE: Final = f"{RUN_LOGS}/cold-start.json"


def cold_start_recoveries(run: RunFolder) -> dict[str, Recovery] | None:
    """Return how each device came back from the cold start before a run; None: the run began without one."""
    path = run.path / COLD_START_FILE
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Recovery]) if path.is_file() else None
