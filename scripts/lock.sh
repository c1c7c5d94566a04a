#!/usr/bin/env bash
# Rewrite the lock files from the *.in files: exact versions with hashes, the same on every platform.
set -euo pipefail
cd "$(dirname "$0")/.."

for name in requirements requirements-dev requirements-yang benchmarks/requirements-pyavd; do
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
        --no-emit-index-url --no-emit-index-annotation "$@" "$name.in" -o "$name.txt"
    echo "wrote $name.txt"
done
