#!/usr/bin/env bash
# Makes the source archive of a release with meson dist, unpacks it where no repository is, and runs packaging/test.sh --quick there.
#
# usage: packaging/release/check_archive.sh BUILD_DIR
# The archive is that of the last commit: BUILD_DIR/meson-dist/ringside-VERSION.tar.xz. Needs a git repository.
set -euo pipefail

if [ $# -ne 1 ] || [ "$1" = --help ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  [ "${1:-}" = --help ] && exit 0
  exit 2
fi
build=$(realpath -- "$1")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ringside-archive.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT

# Other changes are not in the archive: they need not be committed for this check.
meson dist -C "$build" --no-tests --formats xztar --allow-dirty
archive=$(find "$build/meson-dist" -name 'ringside-*.tar.xz' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
(cd -- "$(dirname -- "$archive")" && sha256sum --check -- "$(basename -- "$archive").sha256sum")

# An ordinary user runs a part of the tests.
chmod 755 "$scratch"
tar -xf "$archive" -C "$scratch"
root=$scratch/$(basename -- "$archive" .tar.xz)
unset RINGSIDE_BUILD_DIR
"$root/packaging/test.sh" --quick
