"""Cumulus Linux on one switch: its revisions, where they are stored, what applying one does."""

import asyncio
from collections.abc import Iterable
from typing import Final

from lab.spec.models import SwitchSpec
from lab.switches.device_state import BgpPeer, BgpSpeaker, DeviceState
from lab.switches.forwarding import Forwarding
from lab.switches.machine import Machine
from lab.switches.nos.cumulus import factory
from lab.switches.nos.cumulus.checks import refusals
from lab.switches.nos.cumulus.configured_state import device_state, host_name
from lab.switches.nos.cumulus.document import header, read_document, show_yaml
from lab.switches.nos.cumulus.forwarding import forwarding
from lab.switches.nos.cumulus.restarts import Restarts, restarts
from lab.switches.nos.cumulus.revisions import Revision, Revisions
from lab.switches.nos.cumulus.schema import Node, Release, flattened, parse_release, schema
from lab.switches.nos.cumulus.tree import Leaf, Tree, added, at, build_tree, leaves, removed, value

STARTUP_FILE: Final = "/etc/nvue.d/startup.yaml"
"""What ``nv config save`` writes and a boot reads (NVUE Configuration File)."""
RELEASE: Final = "5.13"
"""Release of a switch without a chosen one."""
CONFIRM_TIMER: Final = "nvue-confirm"
HIDDEN: Final = "*"
"""Shown in place of a password's hash (NVIDIA's exports)."""
NO_PFC: Final = "lab-no-pfc"
"""Name of a profile; see `Cumulus.pfc_lines`."""
RESET_REAL_S: Final = 0.03
RESET_LAB_S: Final = 20.0
"""Time ports are down while switchd restarts; the lab's own figures."""


class ApplyError(Exception):
    """NVUE does not apply a revision; the text is what it prints."""


class Cumulus:
    """The NOS of one switch."""

    def __init__(self, switch: Machine) -> None:
        self.switch = switch
        self.revisions = Revisions.first({})
        self.resetting = False
        """Whether switchd is restarting: every port is down."""
        self.frr_down = False
        self.resets = 0
        """How often switchd has restarted since the last boot."""
        self.frr_restarts = 0
        self._secret = switch.passwords[switch.user]
        self._generation = 0
        self._text: tuple[int, str] = (-1, "")
        self._state: tuple[object, DeviceState] | None = None
        self._forwarding: tuple[object, Forwarding] | None = None

    @property
    def spec(self) -> SwitchSpec:
        """The hardware."""
        return self.switch.spec

    @property
    def release(self) -> Release:
        """Release, as far as its words differ."""
        return parse_release(self.spec.release or RELEASE)

    @property
    def version(self) -> str:
        """Release with its patch level."""
        return f"{self.release[0]}.{self.release[1]}.0"

    @property
    def root(self) -> Node:
        """What NVUE takes in this release."""
        return schema(self.release)

    @property
    def applied(self) -> Tree:
        """The configuration in force."""
        return self.revisions.applied.tree

    @property
    def host_name(self) -> str:
        """Host name as configured."""
        return host_name(self.applied)

    @property
    def state(self) -> DeviceState:
        """Configured state of ports and BGP; computed once per configuration."""
        if self._state is None or self._state[0] != self._moment:
            self._state = (self._moment, self._configured_state())
        return self._state[1]

    def _configured_state(self) -> DeviceState:
        ports_usable, frr_up = not self.resetting, not self.frr_down
        return device_state(self.applied, self.spec, self.version, ports_usable=ports_usable, frr_up=frr_up)

    @property
    def forwarding(self) -> Forwarding:
        """How the configuration forwards packets; computed once per configuration."""
        if self._forwarding is None or self._forwarding[0] != self._moment:
            self._forwarding = (self._moment, forwarding(self.applied, self.state))
        return self._forwarding[1]

    @property
    def _moment(self) -> object:
        return self._generation, self.resetting, self.frr_down

    def login_prompt(self) -> str:
        """Return bash's prompt."""
        return f"{self.switch.user}@{self.host_name}:mgmt:~$ "

    def remote_asn(self, speaker: BgpSpeaker, peer: BgpPeer) -> int | None:
        """Return the ASN of the other side of a session; None when it is not known."""
        if peer.remote.isdigit():
            return int(peer.remote)
        if peer.remote == "internal":
            return speaker.asn
        return self.switch.links.asn_behind(self.spec.name, peer)

    # --- life of a configuration --------------------------------------------------------------------------------

    def install(self) -> None:
        """Write the factory configuration with a name and an address from the console."""
        self.switch.files.make_folder("/etc/nvue.d", parents=True)
        self.revisions = Revisions.first(factory.configuration(self.spec, self.root, self.release))
        self.save()

    def boot(self) -> None:
        """Apply the startup file; pending and unconfirmed revisions are lost."""
        revisions = self.revisions
        for user in tuple(revisions.pending):
            revisions.detach(user)
        if revisions.applied.state == "confirm":
            revisions.applied.state = "confirm_fail"
        revisions.before = None
        self.resets = self.frr_restarts = 0
        tree = self._read_startup()
        revisions.applied = revisions.saved if revisions.saved.tree == tree else self._external_revision(tree)
        revisions.saved = revisions.applied
        self._changed()

    def _read_startup(self) -> Tree:
        ends: dict[tuple[str, ...], str | None] = {}
        for verb, content in read_document(self.switch.files.read(STARTUP_FILE)):
            if verb == "set":
                ends.update(flattened(self.root, content))
        secret = {path: hidden for path, hidden in ends.items() if hidden == HIDDEN}
        known = dict(leaves(self.revisions.saved.tree))
        return build_tree((ends | {path: known.get(path, HIDDEN) for path in secret}).items())

    def _external_revision(self, tree: Tree) -> Revision:
        """Return a revision for a startup file that was written without NVUE."""
        revision = self.revisions.new("root", tree)
        self.revisions.pending.pop("root")
        revision.state, revision.applies = "applied_and_saved", 1
        return revision

    def save(self) -> None:
        """``nv config save``.

        Raises
        ------
        FileSystemError
            The disk is full.
        """
        self.switch.files.write(STARTUP_FILE, self.running_configuration())
        self.revisions.saved = self.revisions.applied

    def running_configuration(self) -> str:
        """Return what ``nv config show`` prints."""
        if self._text[0] != self._generation:
            self._text = (self._generation, self.shown(self.applied))
        return self._text[1]

    def shown(self, tree: Tree) -> str:
        """Return a configuration as ``nv config show`` prints it."""
        model = self.spec.hwsku.partition("-")[2].lower() or "vx"
        return header(model, f"Cumulus Linux {self.version}") + show_yaml(self.root, "set", shown_ends(tree))

    @property
    def saves_itself(self) -> bool:
        """Whether applying saves (auto-save; on unless it is switched off)."""
        return value(self.applied, "system", "config", "auto-save", "state") != "disabled"

    # --- applying -----------------------------------------------------------------------------------------------

    def restarts(self, tree: Tree) -> Restarts:
        """Return what restarts when a configuration is applied."""
        return restarts(self.release, self.applied, tree)

    def check(self, revision: Revision, tree: Tree) -> None:
        """Refuse what NVUE refuses.

        Raises
        ------
        ApplyError
            The configuration is invalid, or there is no room for it.
        """
        found = refusals(self.spec, self.root, tree)
        if found:
            revision.state = "invalid"
            raise ApplyError(
                "\n".join([f"Invalid config [rev_id: {revision.number}]", *(f"  {text}" for text in found)])
            )
        if self.switch.files.full:
            raise ApplyError("Error: [Errno 28] No space left on device")

    def apply(self, revision: Revision, tree: Tree, confirm_s: float | None) -> None:
        """Put a revision into force.

        Parameters
        ----------
        revision
            What is applied.
        tree
            Its configuration.
        confirm_s
            Time to confirm it, after which the one before returns; None: it is not asked for.
        """
        self.revisions.pending.pop(revision.user, None)
        changes = sum(1 for _ in added(self.applied, tree)) + sum(1 for _ in removed(self.applied, tree))
        before = self.revisions.applied
        revision.parent = before.number if before is not revision else revision.parent
        revision.tree = tree
        revision.applies += 1
        revision.date = self.switch.clock.utc().strftime("%Y-%m-%d %H:%M:%S")
        self._put_in_force(revision)
        if confirm_s is None:
            self._settled(revision)
            return
        revision.state, self.revisions.before = "confirm", before
        command = f"/usr/bin/nv config apply {revision.number} --confirm-no"
        self.switch.units.run_at(self.switch.clock.now() + confirm_s, CONFIRM_TIMER, (command,))
        self.switch.watch_timers()
        for _ in range(changes):
            self.switch.note_change()

    def confirm(self, revision: Revision, *, keep: bool) -> None:
        """End the time in which a revision can be confirmed: keep it, or return to the one before.

        Raises
        ------
        FileSystemError
            It was to be kept and the disk is full: it still waits.
        """
        before = self.revisions.before
        if keep or before is None:
            self._settled(revision)
        else:
            revision.state = "confirm_fail"
            before.applies += 1
            self._put_in_force(before)
            if self.saves_itself and self.revisions.saved is not before:
                self.save()
        self.revisions.before = None
        self.switch.units.stop(f"{CONFIRM_TIMER}.timer")

    def _settled(self, revision: Revision) -> None:
        if self.saves_itself:
            self.save()
        revision.state = "applied_and_saved" if self.saves_itself else "applied"

    def _put_in_force(self, revision: Revision) -> None:
        what = self.restarts(revision.tree)
        self.revisions.applied = revision
        self._changed()
        if what.switchd:
            self.resets += 1
            self.resetting = True
        if what.frr:
            self.frr_restarts += 1
            self.frr_down = True
        if self.resetting or self.frr_down:
            self.switch.configuration_changed()
            self.switch.clock.pass_time(RESET_LAB_S)
            asyncio.get_running_loop().call_later(RESET_REAL_S, self._back)

    def _back(self) -> None:
        self.resetting = self.frr_down = False
        self.switch.configuration_changed()

    def _changed(self) -> None:
        """Bring accounts in line with the configuration: one that it does not name is deleted (NVUE-CLI)."""
        self._generation += 1
        self.switch.configuration_changed()
        if self.switch.user not in at(self.applied, "system", "aaa", "user"):
            self.switch.passwords.pop(self.switch.user, None)
        else:
            self.switch.passwords.setdefault(self.switch.user, self._secret)

    # --- lines ----------------------------------------------------------------------------------------------------

    async def type_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Type ``nv`` commands at the console and apply them; return the answers to the refused ones."""
        refused: list[str] = []
        for line in (text.strip().removeprefix("nv ") for text in lines):
            if line:
                outcome = await self.switch.run(f"nv {line}", root=True)
                refused.extend(f"{line}: {outcome.error.strip()}" for _ in [None] if outcome.status)
        if "root" in self.revisions.pending:
            outcome = await self.switch.run("nv config apply -y", root=True)
            refused.extend(f"apply: {outcome.error.strip()}" for _ in [None] if outcome.status)
        return tuple(refused)

    def pfc_lines(self, port: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines that switch PFC off on a port, and those that restore its present setting.

        A port has the PFC of its profile: one that neither sends nor heeds pause frames (NVUE, qos pfc: rx, tx).
        """
        profile = value(self.applied, "interface", port, "qos", "pfc", "profile")
        place, none = f"nv set interface {port} qos pfc profile", f"nv set qos pfc {NO_PFC}"
        priorities = ",".join(str(one) for one in sorted(self.forwarding.ports[port].qos.lossless))
        off = (f"{none} switch-priority {priorities}", f"{none} rx disable", f"{none} tx disable", f"{place} {NO_PFC}")
        back = f"{place} {profile}" if profile else f"nv unset interface {port} qos pfc"
        return off, (back, f"nv unset qos pfc {NO_PFC}")


def shown_ends(tree: Tree) -> Iterable[Leaf]:
    """Return what is shown of a configuration: hashes of passwords are not."""
    return ((path, HIDDEN if path[-1] == "hashed-password" else found) for path, found in leaves(tree))
