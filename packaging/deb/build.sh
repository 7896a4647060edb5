#!/usr/bin/env bash
# Builds the Debian packages from the source tree, for the system that it runs on. It needs no network.
# packaging/install-build-deps.sh --packages installs what it needs.
#
# usage: packaging/deb/build.sh [--output DIR] [--version VERSION] [--work DIR]
#   --output DIR       where the packages go (default: build-deb, in the tree); replaces packages of other versions there
#   --version VERSION  another version than that of packaging/deb/debian/changelog, for example 0.1.0-2
#   --work DIR         where to compile, a new or empty folder; it remains, and the next build there compiles only what has changed
# RINGSIDE_JOBS        compilations at a time (default: 2)
# DEB_BUILD_OPTIONS    as for dpkg-buildpackage; nocheck: without the unit tests
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
}

fail() {
  printf 'build: %s\n' "$@" >&2
  exit 1
}

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
output=$source/build-deb version='' work=''
while [ $# -gt 0 ]; do
  case $1 in
    --output | --version | --work)
      [ $# -ge 2 ] || fail "$1 needs a value"
      declare "${1#--}=$2"
      shift 2
      ;;
    -h | --help) usage && exit 0 ;;
    *) echo "build: unknown argument '$1'" >&2 && usage >&2 && exit 2 ;;
  esac
done

# A build deletes files in its folder, so it takes none that has files of others.
marker=.ringside-deb-work
if [ -n "$work" ] && [ -d "$work" ] && [ ! -e "$work/$marker" ] && [ -n "$(ls -A -- "$work")" ]; then
  fail "cannot compile in '$work': it has files that are not of an earlier build; name a new or empty folder with --work"
fi

for tool in dpkg-buildpackage dh meson; do
  command -v "$tool" >/dev/null || fail "$tool is missing; run packaging/install-build-deps.sh --packages"
done
output=$(realpath -m -- "$output")
if [ -z "$work" ]; then
  work=$(mktemp -d "${TMPDIR:-/tmp}/ringside-deb.XXXXXX")
  trap 'rm -rf -- "$work"' EXIT
fi
mkdir -p "$work" "$output"
work=$(realpath -- "$work")
touch "$work/$marker"

tree=$work/ringside
mkdir -p "$tree"
# Everything of an earlier build except what it has compiled.
find "$tree" -mindepth 1 -maxdepth 1 -not -name 'obj-*' -exec rm -rf -- {} +
"$source/packaging/source-archive.sh" | tar -C "$tree" --no-same-owner -xf -
mv "$tree/packaging/deb/debian" "$tree/debian"

cd "$tree"
if [ -n "$version" ]; then
  # As dch does, which is in a package of its own. The date is that of the entry below: a date of now would be in each package.
  entry=$(dpkg-parsechangelog --show-field Date)
  {
    printf 'ringside (%s) %s; urgency=medium\n\n  * Built from the same sources.\n\n -- %s  %s\n\n' "$version" \
      "$(dpkg-parsechangelog --show-field Distribution)" "$(dpkg-parsechangelog --show-field Maintainer)" "$entry"
    cat debian/changelog
  } >debian/changelog.new
  mv debian/changelog.new debian/changelog
fi

find "$work" -maxdepth 1 -type f -not -name "$marker" -delete
options="parallel=${RINGSIDE_JOBS:-2}${DEB_BUILD_OPTIONS:+ $DEB_BUILD_OPTIONS}"
DEB_BUILD_OPTIONS=$options dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary --no-pre-clean
# Of each name and architecture, only the newest: apt takes the last of a pattern in the order of its text.
find "$work" -maxdepth 1 -type f -not -name "$marker" -printf '%f\n' | while IFS= read -r file; do
  find "$output" -maxdepth 1 -type f -name "${file%%_*}_*_${file##*_}" -delete
  mv -- "$work/$file" "$output/"
done
printf 'The packages are in %s\n' "$output"
