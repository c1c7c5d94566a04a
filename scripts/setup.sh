#!/usr/bin/env bash
# Create or update the environment: missing system packages, .venv, and the locked Python packages.
#
# usage: scripts/setup.sh product   what `rackproof` needs: Python, git, .venv
#        scripts/setup.sh lab       that, and the packages of a lab with virtual machines (as root)
#        scripts/setup.sh pulumi    what `rackproof` needs, and the Python packages of the Pulumi program
#        scripts/setup.sh develop   that, and what the tests need; tests of virtual machines also need `lab`
#
# Each change of the machine outside this folder is printed before it is made. When nothing has changed since the last
# run, this takes milliseconds.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly what=${1:?product, lab, pulumi or develop}
readonly oldest_python="3.11"
# ansible-core for Python 3.11 ends in November 2026 (requirements.in): a newer Python is preferred where there is one.
readonly preferred_python="3.12"
# Raised when an environment of the former lock files has packages that must go: pip never removes any.
readonly layout=2

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Print the first Python on the PATH that can create an environment: one of the preferred version or newer, else the oldest.
find_python() {
    local candidate version
    for version in "$preferred_python" "$oldest_python"; do
        for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
            if "$candidate" -c "import sys, ensurepip, venv; sys.exit(sys.version_info < (${version/./, }))" 2>/dev/null; then
                command -v "$candidate"
                return
            fi
        done
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
    command -v apt-get >/dev/null || fail "apt-get is missing; install with your package manager: $*"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || fail "run as root, or install sudo; needed: $*"
    say "installing packages on this machine with apt-get: $*"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive scripts/without_services.sh \
        apt-get install -qq -y --no-install-recommends "$@" >/dev/null
    disable_daemons "$@"
}

# The lab and the tests start daemons in namespaces of their own. On the machine itself none may run: lldpd would
# announce it to its neighbours, zebra would manage its routes.
disable_daemons() {
    local service
    for service in frr lldpd; do
        case " $* " in
            *" $service "*)
                say "$service is not started on this machine: its service is disabled"
                as_root systemctl --quiet disable "$service" 2>/dev/null || true
                ;;
        esac
    done
}

# Print Debian's python3 packages if new enough, else the newer Python that Ubuntu 22.04 has beside them.
python_packages() {
    local version
    version=$(apt-cache show python3 2>/dev/null | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p' | sort -V | tail -n 1)
    if [ "$(printf '%s\n' "$oldest_python" "$version" | sort -V | head -n 1)" = "$oldest_python" ]; then
        echo python3 python3-venv
    else
        echo python3.11 python3.11-venv
    fi
}

missing_packages() {
    local -a missing=()
    command -v git >/dev/null || missing+=(git)
    [ -n "$(find_python)" ] || read -r -a missing <<<"${missing[*]} $(python_packages)"
    if [ "$what" = develop ]; then
        command -v gcc >/dev/null || missing+=(gcc libc6-dev)
        [ -e /usr/include/libyang/libyang.h ] || missing+=(libyang2-dev)
        command -v vtysh >/dev/null || missing+=(frr)
        command -v ping >/dev/null || missing+=(iputils-ping)
    fi
    echo "${missing[@]}"
}

# Program (or file) and its package: needed by a lab with virtual machines and forwarded packets.
readonly lab_needs="
    qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils mmdebstrap=mmdebstrap mke2fs=e2fsprogs
    /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
    /usr/lib/frr/zebra=frr lldpd=lldpd nft=nftables ip=iproute2 modprobe=kmod ethtool=ethtool ssh=openssh-client
    zstd=zstd"

missing_lab_packages() {
    local need
    local -a missing=()
    for need in $lab_needs; do
        command -v "${need%%=*}" >/dev/null || [ -e "${need%%=*}" ] || missing+=("${need##*=}")
    done
    echo "${missing[@]}"
}

install_lab() {
    local -a packages
    read -r -a packages <<<"$(missing_lab_packages)"
    if [ "$(id -u)" -ne 0 ]; then
        say "not root: the lab has switches only, and does not prove forwarding or the configuration of hosts"
    elif [ ${#packages[@]} -ne 0 ]; then
        install_packages "${packages[@]}"
    fi
}

# Run a command unless it already ran for the same interpreter, place and contents of the files named.
#
# usage: once <name> <file>... -- <command>
once() {
    local -r stamp=".venv/.$1"
    local -a files=()
    shift
    while [ "$1" != -- ]; do files+=("$1"); shift; done
    shift
    local fingerprint
    fingerprint=$({ .venv/bin/python --version; pwd; cat scripts/setup.sh "${files[@]}"; } | sha256sum)
    [ "$(cat "$stamp" 2>/dev/null)" = "$fingerprint" ] && return
    "$@"
    echo "$fingerprint" >"$stamp"
}

# The lock files name every package; requirements-overrides.in says which dependency is left out.
install_locked() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --no-deps "$@"
}

make_environment() {
    local -r python=$1
    if [ "$(.venv/bin/python --version 2>/dev/null)" != "$("$python" --version)" ] ||
        [ "$(cat .venv/.layout 2>/dev/null)" != "$layout" ]; then
        "$python" -m venv --clear .venv
        echo "$layout" >.venv/.layout
    fi
}

install_product() {
    say "installing the locked packages of Rackproof into .venv"
    install_locked --only-binary :all: -r requirements.txt
}

install_collections() {
    say "installing the Ansible collections of the roles into .venv"
    scripts/collections.sh
}

install_pulumi() {
    say "installing the locked packages of the Pulumi program into .venv"
    install_locked --only-binary :all: -r requirements-pulumi.txt
}

install_project() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
}

# libyang needs Python's headers; some distributions have them in a -dev package.
python_headers_missing() {
    .venv/bin/python - <<'PY'
import pathlib, sys, sysconfig
sys.exit(pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())
PY
}

# The Python binding needs libyang 2.25 or newer (the number of its programming interface, not of its release).
libyang_is_old() {
    local minor
    minor=$(sed -n 's/^#define LY_VERSION_MINOR \([0-9]*\).*/\1/p' /usr/include/libyang/*.h)
    [ "${minor:-0}" -lt 25 ]
}

install_development() {
    say "installing the locked packages of the tests into .venv"
    install_locked --only-binary :all: -r requirements-dev.txt
    if libyang_is_old; then
        say "libyang of this distribution is too old for its Python binding: the YANG tests will be skipped"
        return
    fi
    if python_headers_missing; then
        install_packages "python$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')-dev"
    fi
    install_locked --no-build-isolation -r requirements-yang.txt
}

main() {
    case "$what" in product | lab | pulumi | develop) ;; *) fail "unknown: $what; give product, lab, pulumi or develop" ;; esac
    local -a packages
    read -r -a packages <<<"$(missing_packages)"
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"

    [ "$what" != lab ] || install_lab

    local python
    python=$(find_python)
    [ -n "$python" ] || fail "no Python $oldest_python or newer with venv was found"
    make_environment "$python"
    once product requirements.txt -- install_product
    once collections requirements-collections.txt scripts/collections.sh -- install_collections
    once project pyproject.toml -- install_project
    case $what in pulumi | develop) once pulumi requirements-pulumi.txt -- install_pulumi ;; esac
    [ "$what" != develop ] || once develop requirements-dev.txt requirements-yang.txt -- install_development
}

main
