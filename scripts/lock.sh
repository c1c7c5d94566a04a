#!/usr/bin/env bash
# Rewrite the lock files from the *.in files: exact versions with hashes, the same on every platform.
#
# usage: scripts/lock.sh [--upgrade]
set -euo pipefail
cd "$(dirname "$0")/.."

# usage: lock <name> <oldest Python> [option of uv]...
lock() {
    local -r name=$1 python=$2
    shift 2
    .venv/bin/uv pip compile --quiet --universal --python-version "$python" --generate-hashes --no-header \
        --no-emit-index-url --no-emit-index-annotation "$@" "$name.in" -o "$name.txt"
    echo "wrote $name.txt"
}

for name in requirements requirements-pulumi requirements-dev requirements-yang benchmarks/requirements-pyavd; do
    lock "$name" 3.11 --override requirements-overrides.in "$@"
done
# One wheel, read as an archive: its own Python and dependencies do not matter.
lock requirements-collections 3.12 --no-deps --only-binary :all: "$@"
