#!/usr/bin/env bash
# Say where the artefacts of a site lie and what to do next.
#
# usage: scripts/account.sh <site>
set -euo pipefail
cd "$(dirname "$0")/.."

readonly site=${1:?site}

find "build/$site" -maxdepth 2 -type f ! -path '*/lab/*' | sort | sed 's/^/  /'
cat <<TEXT
Next:
  .venv/bin/rackproof diff $site          what differs on the switches now (nothing; exit status 0)
  .venv/bin/rackproof lab status $site    the lab's switches and their ports
  .venv/bin/rackproof lab fault --help    break something and see it found
  make down SITE=$site                    take the lab away
TEXT
