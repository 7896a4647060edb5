#!/usr/bin/env bash
# Builds consumerd and ringctl statically, and puts them into the root file system of the image.
#
# usage: packaging/container/static-root.sh STATIC_LIBRARIES BUILD_DIR ROOT
#   STATIC_LIBRARIES  what static-libraries.sh has built
# RINGSIDE_JOBS       compilations at a time (default: 2)
set -euo pipefail

if [ $# -ne 3 ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
libraries=$(cd "$1" && pwd)
build=$2 root=$3

[ -e "$build/build.ninja" ] ||
  env CC=gcc CXX=g++ PKG_CONFIG_PATH="$libraries/lib/pkgconfig" meson setup -Dtests=false -Dperf=false -Dfleet=disabled -Dstatic_programs=true \
    -Ddebug=false -Dunity=on "$build" "$source"
ninja -C "$build" -j "${RINGSIDE_JOBS:-2}" consumerd/consumerd tools/ringctl

mkdir -p "$root/traces" "$root/ringside"
for program in consumerd/consumerd tools/ringctl; do
  install -D --strip --mode=755 "$build/$program" "$root/usr/bin/$(basename "$program")"
done
# The licences of what the programs contain.
install -D --mode=644 "$source/LICENSE" "$root/usr/share/doc/ringside/copyright"
for package in libc6 gcc-12-base libcli11-dev libfmt-dev libmicrohttpd-dev libre2-dev libseccomp-dev libtomlplusplus-dev liburing-dev \
  libzstd-dev nlohmann-json3-dev prometheus-cpp-dev; do
  install -D --mode=644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
done
