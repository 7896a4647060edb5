#!/usr/bin/env bash
# Builds the static libraries that Debian 12 has only as shared ones, from Debian's source packages: fmt, toml++,
# prometheus-cpp, and libmicrohttpd without TLS (Debian's static one needs p11-kit, which has no static library).
# meson setup -Dstatic_programs=true needs them. Prints nothing if they are already there.
#
# usage: packaging/container/static-libraries.sh DIR
#   DIR gets lib/*.a and lib/pkgconfig/*.pc: PKG_CONFIG_PATH=DIR/lib/pkgconfig meson setup -Dstatic_programs=true build
#
# Needs the packages of packaging/install-build-deps.sh --static. Downloads the sources with apt-get, which needs no rights.
set -euo pipefail

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
case ${1:-} in
  -h | --help) usage && exit 0 ;;
  '' | -*) usage >&2 && exit 2 ;;
esac
mkdir -p "$1/lib/pkgconfig"
prefix=$(cd "$1" && pwd)
[ ! -e "$prefix/complete" ] || exit 0

fail() {
  printf 'static-libraries: %s\n' "$@" >&2
  exit 1
}
for command in apt-get dpkg-source g++ make; do
  command -v "$command" >/dev/null || fail "$command is missing; packaging/install-build-deps.sh --static installs it"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The configured sources of packages, as sources of source packages, with lists of their own: the system's stay unchanged.
mkdir -p "$scratch/apt/parts" "$scratch/apt/lists/partial" "$scratch/apt/cache/archives/partial"
for file in /etc/apt/sources.list.d/*.sources; do
  [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$scratch/apt/parts/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >>"$scratch/apt/parts/all.list"
done
chmod -R a+rX "$scratch"
apt() {
  apt-get --quiet=2 -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$scratch/apt/parts" -o "Dir::State::lists=$scratch/apt/lists" \
    -o "Dir::Cache=$scratch/apt/cache" -o APT::Sandbox::User=root "$@" </dev/null
}
apt update || fail 'apt-get cannot read the lists of source packages'
cd "$scratch"
apt source fmtlib prometheus-cpp libmicrohttpd >"$scratch/log" 2>&1 || fail 'apt-get source failed:' "$(tail -n 5 "$scratch/log")"

flags=(-std=c++17 -O2 -g1 -fPIC -DNDEBUG -ffunction-sections -fdata-sections)

# archive NAME SOURCE...: compiled with "${flags[@]}" "${includes[@]}"
archive() {
  local name=$1 source objects=()
  shift
  for source in "$@"; do
    objects+=("$scratch/$name-$(basename "$source").o")
    g++ "${flags[@]}" "${includes[@]}" -c "$source" -o "${objects[-1]}"
  done
  ar rcs "$prefix/lib/lib$name.a" "${objects[@]}"
}

# pkg_config NAME LIBRARY VERSION [PRIVATE]: with the headers of Debian's package, of the same version.
pkg_config() {
  printf '%s\n' "Name: $1" "Description: static, for Ringside's programs" "Version: $3" "Libs: -L$prefix/lib -l$2" \
    "Libs.private: ${4:-}" "Cflags: $(pkg-config --cflags "$1")" >"$prefix/lib/pkgconfig/$1.pc"
}
version_of() { pkg-config --modversion "$1"; }

includes=()
archive fmt fmtlib-*/src/format.cc fmtlib-*/src/os.cc
pkg_config fmt fmt "$(version_of fmt)"

# Debian's headers contain the implementation.
printf '%s\n' '#define TOML_IMPLEMENTATION' '#include <toml++/toml.h>' >toml.cpp
read -ra includes < <(pkg-config --cflags tomlplusplus)
archive tomlplusplus toml.cpp
pkg_config tomlplusplus tomlplusplus "$(version_of tomlplusplus)"

includes=(-I"$(echo "$scratch"/prometheus-cpp-*/core)/src" -DPROMETHEUS_CPP_CORE_STATIC_DEFINE)
archive prometheus-cpp-core prometheus-cpp-*/core/src/*.cc prometheus-cpp-*/core/src/detail/*.cc
pkg_config prometheus-cpp-core prometheus-cpp-core "$(version_of prometheus-cpp-core)"

(cd libmicrohttpd-*/ && ./configure --quiet --prefix="$scratch/microhttpd" --enable-static --disable-shared --disable-https --disable-doc --disable-examples \
  --disable-curl --disable-postprocessor --disable-dauth --disable-bauth CFLAGS='-O2 -g1 -fPIC' && make --silent -C src/microhttpd -j2 install) >"$scratch/log" 2>&1 ||
  fail 'libmicrohttpd cannot be built:' "$(tail -n 20 "$scratch/log")"
cp "$scratch/microhttpd/lib/libmicrohttpd.a" "$prefix/lib/"
pkg_config libmicrohttpd microhttpd "$(version_of libmicrohttpd)" -pthread

touch "$prefix/complete"
