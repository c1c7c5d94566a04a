#!/usr/bin/env bash
# Install the Ansible collections of the roles into .venv, from the wheel that requirements-collections.txt locks.
#
# usage: scripts/collections.sh [environment]   default: .venv
#
# Of the wheel's hundred collections only these are unpacked: 9 MB of 400.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly environment=${1:-.venv}
# dellemc.openmanage: the role server_settings. ansible.posix: the callback `json`, which tests read.
readonly collections="dellemc/openmanage ansible/posix"

download=$(mktemp -d)
trap 'rm -rf "$download"' EXIT
"$environment/bin/python" -m pip download --quiet --disable-pip-version-check --no-input --require-hashes --no-deps \
    --ignore-requires-python --only-binary :all: --dest "$download" -r requirements-collections.txt
"$environment/bin/python" - "$download"/*.whl $collections <<'PY'
import pathlib, shutil, sys, sysconfig, zipfile

packages = pathlib.Path(sysconfig.get_path("purelib"))
for collection in sys.argv[2:]:
    folder = f"ansible_collections/{collection}/"
    shutil.rmtree(packages / folder, ignore_errors=True)
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        members = [name for name in wheel.namelist() if name.startswith(folder)]
        if not members:
            sys.exit(f"collections: {sys.argv[1]} has no {folder}")
        wheel.extractall(packages, members)
PY
