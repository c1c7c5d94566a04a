"""Enterprise SONiC Distribution by Dell Technologies: configuration as sonic-cli takes and shows it.

sonic-cli takes lines, so they come from templates. Start at templates/enterprise-sonic/switch.j2 (the order of
features) and ``context`` (their values); ``canonical`` removes defaults, and ``parse`` reads lines back.
"""

from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree, parse_tree
from rackproof.render.extensions import refuse_extensions
from rackproof.render.nos.enterprise_sonic import canonical
from rackproof.render.nos.enterprise_sonic.context import switch_context
from rackproof.render.nos.enterprise_sonic.left_alone import LEFT_ALONE, left_alone_lines, without_banner_texts
from rackproof.render.nos.enterprise_sonic.parse import switch_intent
from rackproof.render.ownership import reported_topics
from rackproof.render.parsed import ParsedConfiguration, explained
from rackproof.render.templating import render_template

__all__ = ["LEFT_ALONE", "SUFFIX", "left_alone", "owned_tree", "parse", "render"]

SUFFIX = ".cfg"
CARRIED = frozenset({"internal", "multihoming_uplink", "policy", "export_policy", "import_policy", "maximum_prefixes"})
"""Optional fields of an intent that this NOS can express."""


def render(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> str:
    """Return the whole configuration, without users."""
    refuse_extensions(nos, intent, CARRIED)
    return render_template("enterprise-sonic/switch.j2", switch_context(nos, model, intent))


def parse(nos: NosModel, model: SwitchModel, text: str) -> ParsedConfiguration:
    """Return what the text means, and the lines in which it is not the rendering of that."""
    intent = switch_intent(nos, model, canonical.canonical_tree(parse_tree(without_banner_texts(text))))
    return explained(intent, owned_tree(text), owned_tree(render(nos, model, intent)))


def owned_tree(text: str) -> ConfigTree:
    """Return what a rendered file answers for, in input form."""
    return canonical.owned_tree(parse_tree(without_banner_texts(text)))


def left_alone(text: str) -> tuple[str, ...]:
    """Return the topics of the lines that Rackproof leaves alone, beyond those that every switch has."""
    return reported_topics(left_alone_lines(parse_tree(without_banner_texts(text))))
