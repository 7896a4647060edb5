#!/usr/bin/env bash
# Installs the tracers that perf/ measures beside Ringside, on Debian 12. Building and testing do
# without them. Says nothing and asks for no rights when nothing is missing.
set -euo pipefail

packages=(
  libspdlog-dev
  libgoogle-glog-dev
  libboost-log-dev libboost-thread-dev libboost-filesystem-dev
  lttng-tools liblttng-ust-dev babeltrace2
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || status=
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "install-perf-peers: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --yes --quiet)
if ! "${apt[@]}" update || ! "${apt[@]}" install --no-install-recommends "${missing[@]}"; then
  echo "install-perf-peers: failed; what needs these packages is not measured: ${missing[*]}" >&2
  exit 1
fi
