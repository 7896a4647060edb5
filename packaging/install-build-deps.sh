#!/usr/bin/env bash
# Installs the packages needed to build and test on Debian 12. If nothing is missing, it prints nothing and
# needs no rights.
#
# usage: packaging/install-build-deps.sh [--build | --static | --packages | --demo | --test]
#   --build  the compiler and the libraries of the product alone (meson setup -Dtests=false -Dperf=false)
#   --static also what packaging/container/ builds static programs with
#   --packages also what packaging/deb/build.sh builds Debian packages with
#   --demo   also the load generator of packaging/demo.sh
#   --test   what building and running everything needs; the default
set -euo pipefail

packages=(
  g++ meson ninja-build pkg-config python3
  libboost-dev liburing-dev libseccomp-dev libzstd-dev libfmt-dev libcli11-dev libtomlplusplus-dev libre2-dev libdw-dev
  nlohmann-json3-dev libsimdjson-dev libssl-dev libexpat1-dev zlib1g-dev libncurses-dev prometheus-cpp-dev libmicrohttpd-dev libnats-dev libcurl4-openssl-dev
)
static_packages=(dpkg-dev make xz-utils)
deb_packages=(build-essential chrpath debhelper dh-python doxygen libelf-dev libgtest-dev)
test_packages=(
  clang clang-format clang-tidy lld libclang-rt-14-dev curl zstd
  libgtest-dev libgmock-dev libbenchmark-dev libspdlog-dev
  systemd prometheus protobuf-compiler python3-jsonschema python3-seccomp python3-yaml redis-tools spin strace tmux valgrind
  mandoc zsh fish mkdocs doxygen
  abigail-tools binutils bpftrace cmake file gdb
  buildah podman runc
  babeltrace2 python3-bt2 clickhouse-server
  lintian mmdebstrap rpm
  nats-server
  chromium chromium-driver python3-selenium
)
wanted="test"
for argument in "$@"; do
  case $argument in
    --build | --static | --packages | --demo | --test) wanted=${argument#--} ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) echo "install-build-deps: unknown argument '$argument'; see --help" >&2 && exit 2 ;;
  esac
done
[ "$wanted" != static ] || packages+=("${static_packages[@]}")
[ "$wanted" != packages ] || packages+=("${deb_packages[@]}")
[ "$wanted" != demo ] || packages+=(redis-tools)
if [ "$wanted" = test ]; then
  packages+=("${static_packages[@]}" "${deb_packages[@]}" "${test_packages[@]}")
  # Some nodejs packages contain npm; Debian's does not.
  command -v npm >/dev/null || packages+=(npm)
fi

fail() {
  printf 'install-build-deps: %s\n' "$@" >&2
  exit 1
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail 'not a Debian system: dpkg-query and apt-get are missing.' \
    "Install by other means what these packages of Debian 12 contain: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
# Dependencies that are not packages of Debian. Tests that need them are skipped without them.
install_others() {
  [ "$wanted" = test ] || exit 0
  "$(dirname "$0")/install-clickhouse.sh"
  "$(dirname "$0")/install-opentelemetry.sh"
  "$(dirname "$0")/install-mcp-client.sh"
  "$(dirname "$0")/install-container-tools.sh"
  "$(dirname "$0")/install-typescript.sh"
  exit 0
}
[ ${#missing[@]} -gt 0 ] || install_others

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  fail "not root, and there is no sudo. Ask an administrator to run:" \
    "apt-get install --no-install-recommends ${missing[*]}"
fi

# The environment is passed with env, because sudo drops it.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
    apt-get --yes --quiet -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

install_missing() {
  apt update && apt install --no-install-recommends "${missing[@]}"
}

echo "install-build-deps: installing ${missing[*]}"
if ! install_missing; then
  echo 'install-build-deps: failed, retrying once in 5 s' >&2
  sleep 5
  install_missing || fail "apt-get could not install: ${missing[*]}" \
    'See its messages above; check that the package sources are reachable.'
fi
install_others
