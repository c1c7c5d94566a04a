#!/usr/bin/env bash
# Run a command, such as apt-get install, during which no package starts a service on this machine.
#
# usage: scripts/without_services.sh <command>...
#
# A policy file of Debian's (invoke-rc.d(8), policy-rc.d) forbids it. The file is removed when the command has ended,
# also when it failed or was interrupted. After a SIGKILL the file stays until the next run, without effect: it forbids
# nothing once the process that wrote it is gone.
set -euo pipefail

readonly policy=${POLICY_FILE:-/usr/sbin/policy-rc.d}
readonly mark="# Written by scripts/without_services.sh of Rackproof"

# A policy file of somebody else's holds as it is.
if [ -e "$policy" ] && ! grep -qsF "$mark" "$policy"; then
    exec "$@"
fi
if [ -e "$policy" ]; then
    status=0
    "$policy" 2>/dev/null || status=$?
    if [ "$status" -eq 101 ]; then
        printf 'setup: another set-up is installing packages; try again when it has ended\n' >&2
        exit 1
    fi
    rm -f "$policy"
fi

trap 'rm -f "$policy"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
printf '#!/bin/sh\n%s\ngrep -qs without_services /proc/%s/cmdline && exit 101\nexit 0\n' "$mark" "$$" >"$policy"
chmod +x "$policy"
"$@"
