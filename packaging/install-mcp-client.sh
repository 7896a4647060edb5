#!/usr/bin/env bash
# Installs a client of the Model Context Protocol, only for the test `report_mcp`: npm packages of 29 MB. Prints nothing if it
# is already installed. If it cannot be installed, the script does not fail: the test is skipped, with the reason.
set -euo pipefail

package=@modelcontextprotocol/sdk@1.32.2
bound_s=120

if [ -n "${RINGSIDE_MCP_CLIENT_DIR:-}" ]; then
  directory=$RINGSIDE_MCP_CLIENT_DIR
elif [ "$(id -u)" -eq 0 ]; then
  directory=/usr/local/lib/ringside-test-mcp-client
else
  directory=${HOME:?}/.cache/ringside-test-mcp-client
fi
client=node_modules/@modelcontextprotocol/sdk/package.json
for there in "$directory" /usr/local/lib/ringside-test-mcp-client; do
  [ ! -e "$there/$client" ] || exit 0
done

skip() {
  printf 'install-mcp-client: %s; the test with an MCP client will be skipped\n' "$1" >&2
  exit 0
}

command -v npm >/dev/null || skip 'npm is missing (apt-get install npm)'
mkdir -p "$directory" || skip "cannot create $directory"
scratch=$(mktemp -d "$directory/new.XXXXXX") || skip "cannot write to $directory"
trap 'rm -rf "$scratch"' EXIT

echo "install-mcp-client: installing $package to $directory, for at most $bound_s s"
if ! timeout --kill-after=5 "$bound_s" npm install --prefix "$scratch" --cache "$scratch/cache" --no-audit --no-fund --no-save \
  --ignore-scripts --loglevel=error "$package" </dev/null; then
  skip "npm could not install it within $bound_s s"
fi
# Moved into place as a whole, because tests may run at the same time.
[ -e "$scratch/$client" ] || skip 'the package has no client'
rm -rf "$directory/node_modules"
mv "$scratch/node_modules" "$directory/node_modules"
