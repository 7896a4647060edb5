#!/usr/bin/env bash
# Puts Debian's arm64 libraries into a folder of their own. The packages of the machine and its list of
# architectures stay as they are; no rights are needed.
#
# usage: packaging/aarch64/sysroot.sh DIRECTORY
# A directory that is complete is left as it is. Packages that were downloaded before are used again.
set -euo pipefail

packages=(
  libc6-dev libstdc++-12-dev
  libboost-dev liburing-dev libseccomp-dev libzstd-dev libfmt-dev libcli11-dev libtomlplusplus-dev libre2-dev libdw-dev
  nlohmann-json3-dev libsimdjson-dev libssl-dev libexpat1-dev zlib1g-dev libncurses-dev prometheus-cpp-dev libmicrohttpd-dev
  libgtest-dev libgmock-dev libbenchmark-dev libspdlog-dev
)

case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 0 ;;
esac
[ $# -eq 1 ] || { echo 'sysroot: one directory expected; see --help' >&2 && exit 2; }
mkdir -p -- "$1"
root=$(realpath -- "$1")
apt=$root/var/apt
wanted="${packages[*]}"
[ "$(cat "$root/complete" 2>/dev/null)" != "$wanted" ] || exit 0

# Another apt: its state is in the folder, and it knows arm64 only and no installed package.
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
options=(
  -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status"
  -o "Dir::Cache=$apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Languages=none
)
download() {
  apt-get "${options[@]}" --quiet update &&
    apt-get "${options[@]}" --quiet --yes --no-install-recommends --download-only install "${packages[@]}"
}
if ! download >"$apt/log" 2>&1; then
  tail -n 20 "$apt/log" >&2
  echo "sysroot: apt-get cannot download arm64 packages; check that the package sources are reachable and have arm64" >&2
  exit 1
fi

rm -rf -- "$root/usr" "$root/lib" "$root/etc"
mkdir -p "$root/usr/lib" "$root/etc"
ln -s usr/lib "$root/lib"
for package in "$apt"/cache/archives/*.deb; do
  # Through the link lib, as on a Debian system.
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink --no-same-owner -C "$root" \
    --exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/share/locale*'
done
# Absolute links would leave the folder.
find "$root/usr/lib" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfn -- "$(realpath --relative-to="$(dirname -- "$link")" -s -- "$root$(readlink -- "$link")")" "$link"
done
printf '%s\n' "$wanted" >"$root/complete"
