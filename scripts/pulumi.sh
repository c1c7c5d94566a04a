#!/usr/bin/env bash
# Install what `pulumi up` needs: the Python packages of requirements-pulumi.txt in .venv, and the engine in the folder of
# its vendor's installer (~/.pulumi/bin), with pinned version and checksum.
#
# The checksums are those of the vendor's own Homebrew tap (pulumi/homebrew-tap, Formula/pulumi.rb, 3.259.0). The
# provider in infra/provider is tested with this engine and the Python SDK that requirements-pulumi.txt pins.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly version="3.259.0"
readonly target="$HOME/.pulumi/bin"

fail() { printf 'pulumi: %s\n' "$*" >&2; exit 1; }

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) archive="pulumi-v$version-linux-x64.tar.gz" checksum=94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5 ;;
    Linux-aarch64) archive="pulumi-v$version-linux-arm64.tar.gz" checksum=edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853 ;;
    *) fail "no checksum is pinned for $(uname -s) on $(uname -m); install Pulumi $version by hand" ;;
esac
readonly archive checksum
readonly address="https://get.pulumi.com/releases/sdk/$archive"

scripts/setup.sh pulumi
if command -v pulumi >/dev/null; then
    echo "pulumi: $(pulumi version) is on the PATH already"
    exit
fi
command -v curl >/dev/null || fail "curl is needed to download $address"

download=$(mktemp -d)
trap 'rm -rf "$download"' EXIT
echo "pulumi: downloading $version"
curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --output "$download/$archive" "$address" ||
    fail "cannot download $address: no Pulumi here. \`rackproof up\` deploys without it."
echo "$checksum  $download/$archive" | sha256sum --check --quiet ||
    fail "$archive does not have the pinned checksum and was not installed"

mkdir -p "$target"
tar --extract --gzip --file "$download/$archive" --directory "$target" --strip-components 1
echo "pulumi: $("$target/pulumi" version) is in $target"
echo "pulumi: make uses it from there; for your shell: export PATH=\"\$HOME/.pulumi/bin:\$PATH\""
