#!/usr/bin/env bash
# Installs Debian's cross compiler for AArch64 and qemu-user, as root or with sudo. If nothing is missing, it prints nothing and needs no
# rights.
set -euo pipefail

packages=(g++-aarch64-linux-gnu qemu-user)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    { echo "install-tools: not root, and there is no sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2 && exit 1; }
  as_root=(sudo)
fi
echo "install-tools: installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=120 \
  install "${missing[@]}" </dev/null
