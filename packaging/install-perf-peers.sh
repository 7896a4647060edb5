#!/usr/bin/env bash
# Installs the tracers and compressors that perf/ measures beside Ringside, on Debian 12. None of it is
# needed to build, test or use Ringside; what is missing is left out of the measurements.
set -euo pipefail

packages=(
  libspdlog-dev
  libgoogle-glog-dev
  libboost-log-dev libboost-thread-dev libboost-filesystem-dev
  lttng-tools liblttng-ust-dev babeltrace2
  zlib1g-dev libsnappy-dev liblz4-dev libzstd-dev
)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-perf-peers: not a Debian system; install the contents of these packages: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo 'install-perf-peers: not root, and there is no sudo. Ask an administrator to run:' \
      "apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install-perf-peers: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C
  apt-get --yes --quiet -o DPkg::Lock::Timeout=120)
"${apt[@]}" update </dev/null
"${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null
