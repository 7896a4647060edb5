#!/usr/bin/env bash
# Builds the image of the Containerfile without a container engine: an OCI archive, for `podman load`, `docker load`, `skopeo copy` or
# `ctr image import`.
#
# usage: packaging/container/build-image.sh BUILD_DIR ARCHIVE
#   BUILD_DIR  for static libraries, programs and the root file system; kept for the next time
#   ARCHIVE    such as consumerd.tar
# RINGSIDE_JOBS  compilations at a time (default: 2)
set -euo pipefail

if [ $# -ne 2 ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
"$here/static-libraries.sh" "$build/static"
rm -rf "$build/root"
"$here/static-root.sh" "$build/static" "$build/programs" "$build/root"
"$here/oci_archive.py" "$here/Containerfile" "$build/root" "$2"
