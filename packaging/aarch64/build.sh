#!/usr/bin/env bash
# Builds Ringside for AArch64 on an x86-64 machine and runs tests of that build under qemu-user.
#
# usage: packaging/aarch64/build.sh [--only-build]
#   --only-build  runs no test
# install-tools.sh installs what it needs.
# RINGSIDE_AARCH64_BUILD_DIR  where to build (default: build-aarch64, in the tree)
# RINGSIDE_AARCH64_SYSROOT    Debian's arm64 libraries (default: sysroot, in the build directory); made if missing
# RINGSIDE_JOBS               jobs at a time (default: 2)
set -euo pipefail

tests=yes
for argument in "$@"; do
  case $argument in
    --only-build) tests=no ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) echo "aarch64: unknown argument '$argument'; see --help" >&2 && exit 2 ;;
  esac
done

here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
root=$(realpath -- "$here/../..")
build=$(realpath -m -- "${RINGSIDE_AARCH64_BUILD_DIR:-$root/build-aarch64}")
sysroot=$(realpath -m -- "${RINGSIDE_AARCH64_SYSROOT:-$build/sysroot}")
jobs=${RINGSIDE_JOBS:-2}

for program in aarch64-linux-gnu-g++ qemu-aarch64 meson ninja pkg-config; do
  command -v "$program" >/dev/null ||
    { echo "aarch64: $program is missing; run packaging/install-build-deps.sh and packaging/aarch64/install-tools.sh" >&2 && exit 1; }
done

mkdir -p -- "$build"
"$here/sysroot.sh" "$sysroot"
printf "[constants]\nsysroot = '%s'\n" "$sysroot" >"$build/sysroot.ini"
if ! [ -e "$build/build.ninja" ]; then
  meson setup "$build" "$root" --cross-file "$here/aarch64-linux-gnu.ini" --cross-file "$build/sysroot.ini" \
    -Dunity=on -Dquick_compile=true -Dperf=false -Ddebug=false
fi
# What the tests need; other tests of the build would not run under qemu-user.
mapfile -t targets < <("$here/run_tests.py" --targets "$build")
ninja -C "$build" -j "$jobs" "${targets[@]}"
[ $tests = no ] || exec "$here/run_tests.py" --jobs "$jobs" "$build" "$sysroot"
