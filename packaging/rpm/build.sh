#!/usr/bin/env bash
# Builds RPMs from the source tree with packaging/rpm/ringside.spec. It needs rpmbuild and what the spec requires, but no network.
#
# usage: packaging/rpm/build.sh [--output DIR] [OPTION...]
#   --output DIR  where the packages go (default: build-rpm, in the tree)
#   OPTION...     options of rpmbuild, for example --without tests; --nodeps if the required packages have other names, as in Debian
# RINGSIDE_JOBS   compilations at a time (default: 2)
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
output=$source/build-rpm options=()
while [ $# -gt 0 ]; do
  case $1 in
    --output)
      [ $# -ge 2 ] || { echo "build: --output needs a value" >&2 && exit 2; }
      output=$2
      shift 2
      ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) options+=("$1") && shift ;;
  esac
done
if ! command -v rpmbuild >/dev/null; then
  echo 'build: rpmbuild is missing; install the package rpm-build (Debian: rpm)' >&2
  exit 1
fi
output=$(realpath -m -- "$output")
work=$(mktemp -d "${TMPDIR:-/tmp}/ringside-rpm.XXXXXX")
trap 'rm -rf -- "$work"' EXIT

version=$(sed -n 's/^Version: *//p' "$source/packaging/rpm/ringside.spec")
mkdir -p "$work/SOURCES" "$output"
"$source/packaging/source-archive.sh" "ringside-$version/" | xz -1 --threads=0 >"$work/SOURCES/ringside-$version.tar.xz"
rpmbuild --define "_topdir $work" --define "_smp_mflags -j${RINGSIDE_JOBS:-2}" -ba "${options[@]}" "$source/packaging/rpm/ringside.spec"
find "$work/RPMS" "$work/SRPMS" -name '*.rpm' -exec mv -- {} "$output/" \;
printf 'The packages are in %s\n' "$output"
