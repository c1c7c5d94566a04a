"""Commands that change the machine: breakout and lossless mode."""

from lab.switches.nos.enterprise_sonic import breakout, lossless
from lab.switches.nos.enterprise_sonic.rule import Rule

RULES = {
    "config": (
        Rule(
            "interface breakout port <port:front-panel-port> mode <mode:breakout>",
            "X dynamic_port_breakout",
            no=(),
            action=breakout.split,
        ),
        Rule(
            "no interface breakout port <port:front-panel-port>", "X dynamic_port_breakout", no=(), action=breakout.join
        ),
        Rule(
            "roce enable [force-defaults] [pfc-priority <priorities:priority-pair>]",
            "H 2.2.8; S; D roce",
            no=(),
            action=lossless.enable_roce,
        ),
        Rule("no roce enable", "H 2.2.8.4; S", no=(), action=lossless.disable_roce),
        Rule("buffer init lossless", "S; D qos_buffer", no=(), action=lossless.init_buffers),
        Rule("no buffer init", "S", no=(), action=lossless.clear_buffers),
    ),
}
