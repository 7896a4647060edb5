#!/usr/bin/env bash
# Installs a current ClickHouse as a library, only for the test of `ringcat --to rowbinary`: an npm package,
# 165 MB to download and 534 MB on the disk. Prints nothing if it is already installed. If it cannot be
# installed, the script does not fail: the test is skipped, with the reason.
set -euo pipefail

package=@chdb/lib-linux-x64-gnu@26.5.3
bound_s=240

if [ -n "${RINGSIDE_CHDB_DIR:-}" ]; then
  directory=$RINGSIDE_CHDB_DIR
elif [ "$(id -u)" -eq 0 ]; then
  directory=/usr/local/lib/ringside-test-chdb
else
  directory=${HOME:?}/.cache/ringside-test-chdb
fi
library=node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
for there in "$directory" /usr/local/lib/ringside-test-chdb; do
  [ ! -e "$there/$library" ] || exit 0
done

skip() {
  printf 'install-clickhouse: %s; the test with a current ClickHouse will be skipped\n' "$1" >&2
  exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "there is no $package for $(uname -m)"
command -v npm >/dev/null || skip 'npm is missing (apt-get install npm)'
mkdir -p "$directory" || skip "cannot create $directory"
scratch=$(mktemp -d "$directory/new.XXXXXX") || skip "cannot write to $directory"
trap 'rm -rf "$scratch"' EXIT

echo "install-clickhouse: installing $package (165 MB) to $directory, for at most $bound_s s"
begin=$SECONDS
if ! timeout --kill-after=5 "$bound_s" npm install --prefix "$scratch" --cache "$scratch/cache" --no-audit --no-fund --no-save \
  --ignore-scripts --loglevel=error "$package" </dev/null; then
  skip "npm could not install $package within $bound_s s"
fi
# Moved into place as a whole, because tests may run at the same time.
[ -e "$scratch/$library" ] || skip "$package has no libchdb.so"
rm -rf "$directory/node_modules"
mv "$scratch/node_modules" "$directory/node_modules"
echo "install-clickhouse: done in $((SECONDS - begin)) s"
