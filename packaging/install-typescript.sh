#!/usr/bin/env bash
# Installs the TypeScript compiler, only for the test `report_page_types`: npm packages of 31 MB. Prints nothing if it
# is already installed. If it cannot be installed, the script does not fail: the test is skipped, with the reason.
set -euo pipefail

package=typescript@7.0.2
bound_s=120

if [ -n "${RINGSIDE_TYPESCRIPT_DIR:-}" ]; then
  directory=$RINGSIDE_TYPESCRIPT_DIR
elif [ "$(id -u)" -eq 0 ]; then
  directory=/usr/local/lib/ringside-test-typescript
else
  directory=${HOME:?}/.cache/ringside-test-typescript
fi
compiler=node_modules/typescript/bin/tsc
for there in "$directory" /usr/local/lib/ringside-test-typescript; do
  [ ! -e "$there/$compiler" ] || exit 0
done

skip() {
  printf 'install-typescript: %s; the test with the TypeScript compiler will be skipped\n' "$1" >&2
  exit 0
}

command -v npm >/dev/null || skip 'npm is missing (apt-get install npm)'
mkdir -p "$directory" || skip "cannot create $directory"
scratch=$(mktemp -d "$directory/new.XXXXXX") || skip "cannot write to $directory"
trap 'rm -rf "$scratch"' EXIT

echo "install-typescript: installing $package to $directory, for at most $bound_s s"
if ! timeout --kill-after=5 "$bound_s" npm install --prefix "$scratch" --cache "$scratch/cache" --no-audit --no-fund --no-save \
  --ignore-scripts --loglevel=error "$package" </dev/null; then
  skip "npm could not install it within $bound_s s"
fi
# Moved into place as a whole, because tests may run at the same time.
[ -e "$scratch/$compiler" ] || skip 'the package has no compiler'
rm -rf "$directory/node_modules"
mv "$scratch/node_modules" "$directory/node_modules"
