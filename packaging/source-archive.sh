#!/usr/bin/env bash
# Writes an archive (tar) of the source tree to standard output: the files as they are now, without what a build has made.
#
# usage: packaging/source-archive.sh [PREFIX]
#   PREFIX  a folder that contains the files in the archive, for example ringside-0.1.0/
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard --deduplicate
  else
    find . \( -path './build*' -o -name .git -o -name __pycache__ \) -prune -o -type f -print0
  fi
}

# A file that was deleted is still in the index.
files | while IFS= read -r -d '' file; do
  [ ! -f "$file" ] || printf '%s\0' "$file"
done | tar --null --files-from=- --owner=0 --group=0 --transform "s|^\(\./\)\?|${1:-}|SH" -cf -
