#!/usr/bin/env bash
# Print the files that a deployment has written, and the next commands to try.
#
# usage: scripts/summary.sh <site>
set -euo pipefail
cd "$(dirname "$0")/.."

readonly site=${1:?site}

row() { printf '  %-46s %s\n' "$1" "$2"; }

echo "in build/$site:"
row configs/ "the intended configuration of each switch"
row cables.csv "every cable with both ends, length and label"
row cords.csv "every power cord"
row ports.csv "every switch port in use"
row addresses.csv "subnets and addresses"
row plan.json "the whole plan, for programs"
row lab/access.yaml "access to the switches and hosts of the lab"
[ ! -e "build/$site/lab/site.yaml" ] || row lab/site.yaml "the part of the site that the lab runs"
for summary in $(cd "build/$site" && find deploy -name '*.md' 2>/dev/null | sort | tail -n 1); do
    row "$summary" "the commands sent to each switch"
done
echo "try next:"
row ".venv/bin/rackproof diff $site" "compare the devices with the plan: no differences"
row ".venv/bin/rackproof plan $site" "show the plan"
row ".venv/bin/rackproof lab status $site" "show switches, links, hosts, and what is simulated"
[ ! -e "build/$site/lab/site.yaml" ] || row ".venv/bin/rackproof lab ssh $site gpu-001" "open a shell on a host"
row ".venv/bin/rackproof lab fault --help" "inject a fault; diff or validate then finds it"
row "make down SITE=$site" "stop the lab"
