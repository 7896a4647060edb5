#!/usr/bin/env bash
# Installs the OpenTelemetry SDK for Node.js, only for the test `opentelemetry`: npm packages of 18 MB. Prints
# nothing if they are already installed. If they cannot be installed, the script does not fail: the test is
# skipped, with the reason.
set -euo pipefail

packages=(@opentelemetry/api@1.9.1 @opentelemetry/core@2.12.1 @opentelemetry/sdk-trace-base@2.12.1)
bound_s=120

if [ -n "${RINGSIDE_OPENTELEMETRY_DIR:-}" ]; then
  directory=$RINGSIDE_OPENTELEMETRY_DIR
elif [ "$(id -u)" -eq 0 ]; then
  directory=/usr/local/lib/ringside-test-opentelemetry
else
  directory=${HOME:?}/.cache/ringside-test-opentelemetry
fi
sdk=node_modules/@opentelemetry/sdk-trace-base/package.json
for there in "$directory" /usr/local/lib/ringside-test-opentelemetry; do
  [ ! -e "$there/$sdk" ] || exit 0
done

skip() {
  printf 'install-opentelemetry: %s; the test with the OpenTelemetry SDK will be skipped\n' "$1" >&2
  exit 0
}

command -v npm >/dev/null || skip 'npm is missing (apt-get install npm)'
mkdir -p "$directory" || skip "cannot create $directory"
scratch=$(mktemp -d "$directory/new.XXXXXX") || skip "cannot write to $directory"
trap 'rm -rf "$scratch"' EXIT

echo "install-opentelemetry: installing ${packages[*]} to $directory, for at most $bound_s s"
if ! timeout --kill-after=5 "$bound_s" npm install --prefix "$scratch" --cache "$scratch/cache" --no-audit --no-fund --no-save \
  --ignore-scripts --loglevel=error "${packages[@]}" </dev/null; then
  skip "npm could not install them within $bound_s s"
fi
# Moved into place as a whole, because tests may run at the same time.
[ -e "$scratch/$sdk" ] || skip 'the packages have no SDK'
rm -rf "$directory/node_modules"
mv "$scratch/node_modules" "$directory/node_modules"
