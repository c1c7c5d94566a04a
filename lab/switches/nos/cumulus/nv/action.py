"""``nv action``: what acts on the machine."""

from lab.switches.nos.cumulus.nv.run import Run


async def action(run: Run) -> int:
    """``nv action reboot system``; it asks unless ``no-confirm`` stands behind it (NVUE-CLI, Action Commands)."""
    sure = run.option("no-confirm", "force")
    if run.words != ["reboot", "system"]:
        return run.call.fail(f"Error: Invalid Command: action {' '.join(run.words)}")
    if not sure:
        terminal = run.call.terminal
        answer = await terminal.read_line("Rebooting System. Are you sure? [y/N] ") if terminal is not None else ""
        if (answer or "").strip().lower() not in {"y", "yes"}:
            return run.call.fail("Action aborted")
    run.call.switch.reboot()
    return 0


VERBS = {"action": action}
