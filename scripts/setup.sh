#!/usr/bin/env bash
# Create or update the environment: missing system packages, .venv, and the locked Python packages.
#
# usage: scripts/setup.sh product   what `rackproof` needs: Python, git, .venv
#        scripts/setup.sh lab       that, and the packages of a lab with virtual machines (as root)
#        scripts/setup.sh develop   what `rackproof` and the tests need; tests of virtual machines also need `lab`
#
# Each change of the machine outside this folder is printed before it is made. When nothing has changed since the last
# run, this takes milliseconds.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly what=${1:?product, lab or develop}
readonly oldest_python="3.11"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Print the first Python on the PATH that is new enough and can create an environment.
find_python() {
    local candidate
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c "import sys, ensurepip, venv; sys.exit(sys.version_info < (${oldest_python/./, }))" 2>/dev/null; then
            command -v "$candidate"
            return
        fi
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

install_locked() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes "$@"
}

make_environment() {
    local -r python=$1
    [ "$(.venv/bin/python --version 2>/dev/null)" = "$("$python" --version)" ] || "$python" -m venv --clear .venv
}

install_product() {
    say "installing the locked packages of Rackproof into .venv"
    install_locked --only-binary :all: -r requirements.txt
    pulumi_note
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

pulumi_note() {
    command -v pulumi >/dev/null || say "pulumi is not on the PATH: \`rackproof up\` deploys without it (\`make pulumi\` installs it)"
}

main() {
    case "$what" in product | lab | develop) ;; *) fail "unknown: $what; give product, lab or develop" ;; esac
    local -a packages
    read -r -a packages <<<"$(missing_packages)"
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"

    [ "$what" != lab ] || install_lab

    local python
    python=$(find_python)
    [ -n "$python" ] || fail "no Python $oldest_python or newer with venv was found"
    make_environment "$python"
    once product requirements.txt -- install_product
    once project pyproject.toml -- install_project
    [ "$what" != develop ] || once develop requirements-dev.txt requirements-yang.txt -- install_development
}

main
