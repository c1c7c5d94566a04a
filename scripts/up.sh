#!/usr/bin/env bash
# Start the lab of a site, deploy, validate, and write the dossier: what `make up` runs.
#
# usage: scripts/up.sh <site> [virtual machines for each group of servers; 0: switches only]
#
# On a new machine the lab's programs and the disk of its hosts take minutes. They are prepared in the background, while
# a first lab without hosts shows the site's switches configured and without differences. Headings say the time since
# the start.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly site=${1:?site} hosts=${2:-}
readonly rackproof=.venv/bin/rackproof
# This key signs dossiers of a lab only.
readonly key=build/$site/rehearsal.key
readonly log=build/$site/prepare-hosts.log
preparation=

# Print a heading: bold at a terminal, plain text elsewhere.
say() {
    local line
    printf -v line '== %s (%d:%02d)' "$1" $((SECONDS / 60)) $((SECONDS % 60))
    if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\033[1m%s\033[0m\n' "$line"; else echo "$line"; fi
}

# A lab that runs is left as it is, and a lab whose disk is in the cache starts in seconds.
hosts_take_minutes() {
    [ "$hosts" != 0 ] && [ "$(id -u)" -eq 0 ] && ! $rackproof lab disk --check >/dev/null 2>&1 &&
        $rackproof lab status "$site" | grep -q '^no lab is running'
}

prepare_hosts() {
    scripts/setup.sh lab
    $rackproof lab disk
}

# End what runs in the background when this script ends early.
stop_preparation() {
    [ -z "$preparation" ] || kill -- "-$preparation" 2>/dev/null || true
}

switches_first() {
    say "Prepare the hosts of the lab in the background: $log"
    set -m
    prepare_hosts >"$log" 2>&1 </dev/null &
    preparation=$!
    set +m
    trap stop_preparation EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    say "Meanwhile: start the switches of $site without hosts, and deploy to them"
    $rackproof lab up "$site" --hosts 0
    $rackproof up "$site" --yes --access "build/$site/lab/access.yaml"
    $rackproof diff "$site"
    $rackproof lab down "$site"
    say "Wait for the disk of the lab's hosts"
    # `lab up` says below why there are no hosts.
    wait "$preparation" || tail -n 3 "$log"
    preparation=
}

has_hosts() { [ -e "build/$site/lab/id_ed25519" ]; }

main() {
    scripts/setup.sh product
    say "Render inventory/$site/site.yaml: cables, addresses, configuration"
    $rackproof render "$site"
    if hosts_take_minutes; then switches_first; else scripts/setup.sh lab; fi
    say "Start the lab: switches and hosts of $site"
    $rackproof lab up "$site" ${hosts:+--hosts "$hosts"}
    if has_hosts; then
        say "Discover and record the network ports of the hosts"
        $rackproof discover "$site"
    fi
    say "Deploy: switches, then hosts"
    $rackproof up "$site" --yes --access "build/$site/lab/access.yaml"
    if has_hosts; then
        say "Send RDMA over each rail, and mount NFS over RDMA"
        $rackproof lab traffic "$site"
    fi
    say "Validate, as far as a lab can"
    $rackproof validate "$site"
    say "Write the dossier for the acceptance team"
    [ -e "$key" ] || $rackproof keygen "$key"
    $rackproof report "$site" --key "$key"
    $rackproof verify "build/$site/dossier/bundle.zip" --key "$key.pub"
    say "Results and next commands"
    scripts/summary.sh "$site"
}

main
