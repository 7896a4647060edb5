#!/usr/bin/env bash
# Installs what building and testing need on Debian 12. Says nothing and asks for no rights when
# nothing is missing.
set -euo pipefail

packages=(
  g++ clang clang-format clang-tidy libclang-rt-14-dev curl
  meson ninja-build pkg-config python3
  libboost-dev liburing-dev libseccomp-dev libzstd-dev zstd libfmt-dev libcli11-dev libtomlplusplus-dev libre2-dev nlohmann-json3-dev libsimdjson-dev libssl-dev libexpat1-dev zlib1g-dev
  libgtest-dev libgmock-dev libbenchmark-dev libncurses-dev
  prometheus-cpp-dev libmicrohttpd-dev
  prometheus protobuf-compiler python3-jsonschema redis-tools spin strace tmux valgrind
  mandoc zsh fish
  babeltrace2 python3-bt2
)

fail() {
  printf 'install-build-deps: %s\n' "$@" >&2
  exit 1
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail 'this is no Debian system (dpkg-query and apt-get are missing).' \
    "Install by other means what these packages of Debian 12 hold: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  fail "not root, and there is no sudo. Ask an administrator to run:" \
    "apt-get install --no-install-recommends ${missing[*]}"
fi

# The environment goes through env, as sudo drops it.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
    apt-get --yes --quiet -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

install_missing() {
  apt update && apt install --no-install-recommends "${missing[@]}"
}

echo "install-build-deps: installing ${missing[*]}"
if ! install_missing; then
  echo 'install-build-deps: failed, trying once more in 5 s' >&2
  sleep 5
  install_missing || fail "apt-get could not install: ${missing[*]}" \
    'Its messages stand above; are the package sources reachable?'
fi
