"""The grammar, one module a subject: ``MODES`` are new modes, ``RULES`` are commands for modes of other modules.

Every rule names its source; what no public source shows is not here and is refused. Sources:

``X file``
    sonic-mgmt-framework as Broadcom and Dell published it (branch broadcom_sonic_share), CLI/clitree/cli-xml/<file>.xml
    for the command and CLI/actioner/show_config_*.py for how it is shown.
``D module``
    ansible-collections/dellemc.enterprise_sonic 4.1.0, plugins/modules/sonic_<module>.py: running configurations of
    4.x switches in its examples, ranges in its documentation.
``H``
    "QoS buffer" and RoCE design document of Enterprise SONiC 4.1.
``S``
    sonic-net/sonic-mgmt, spytest.
``A``
    AMD Instinct cluster networking guide: running configuration of a Dell Z9664F-ON after ``roce enable``.
``U``
    public notes on the Enterprise SONiC user guide UG460.
``M``
    public migration tool for Dell Enterprise SONiC, checked by its authors on hardware.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from lab.switches.nos.enterprise_sonic.rule import Mode, Rule


@cache
def modes() -> Mapping[str, Mode]:
    """Return all modes, compiled, by name."""
    found: dict[str, Mode] = {}
    added: dict[str, tuple[Rule, ...]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.update({mode.name: mode for mode in getattr(module, "MODES", ())})
        for name, rules in getattr(module, "RULES", {}).items():
            added[name] = (*added.get(name, ()), *rules)
    return {
        name: Mode(mode.name, mode.prompt, (*mode.rules, *added.get(name, ())), mode.visible, mode.rank).compiled()
        for name, mode in found.items()
    }
