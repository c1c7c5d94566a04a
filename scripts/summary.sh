#!/usr/bin/env bash
# Say what a site's deployment left behind, and what to try next.
#
# usage: scripts/summary.sh <site>
set -euo pipefail
cd "$(dirname "$0")/.."

readonly site=${1:?site}

row() { printf '  %-46s %s\n' "$1" "$2"; }

echo "in build/$site:"
row configs/ "the configuration of each switch, as it was meant to be"
row cables.csv "every cable with both ends, length and label"
row cords.csv "every power cord"
row ports.csv "every switch port in use"
row addresses.csv "subnets and addresses"
row plan.json "all of the plan, for programs"
row lab/access.yaml "how the lab's switches and hosts are reached"
[ ! -e "build/$site/lab/site.yaml" ] || row lab/site.yaml "the site, scaled down to what the lab's hosts carry"
for account in $(cd "build/$site" && find deploy -name '*.md' 2>/dev/null | sort | tail -n 1); do
    row "$account" "what was sent, switch by switch"
done
echo "try next:"
row ".venv/bin/rackproof diff $site" "compare with the switches: nothing differs now"
row ".venv/bin/rackproof plan $site" "the plan on screen"
row ".venv/bin/rackproof lab status $site" "switches, links, hosts, and what of it is not real"
[ ! -e "build/$site/lab/site.yaml" ] || row ".venv/bin/rackproof lab ssh $site gpu-001" "a shell on a host"
row ".venv/bin/rackproof lab fault --help" "break something, and see it found"
row "make down SITE=$site" "take the lab away"
