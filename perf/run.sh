#!/usr/bin/env bash
# Measures everything, writes perf/results/latest.json and renders perf/RESULTS.md with its plots.
#
# usage: perf/run.sh [--add] [RINGBENCH_OPTION...]      such as --quick, --row NAME, --subject NAME
# --add                    merges the results into the existing document; the page says when
# RINGSIDE_PERF_BUILD_DIR  an optimised build (default: build-perf, in the tree; set up if missing)
# RINGSIDE_PERF_RESULTS    where to write latest.json, RESULTS.md and the plots (default: perf/ as above)
# RINGSIDE_JOBS            compiler processes at a time (default: 2)
# TMPDIR                   on the disk that is measured (default: /tmp)
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
}

fail() {
  printf 'run: %s\n' "$@" >&2
  exit 1
}

for argument in "$@"; do
  case $argument in -h | --help) usage && exit 0 ;; esac
done

build=$(realpath -m -- "${RINGSIDE_PERF_BUILD_DIR:-$(dirname -- "${BASH_SOURCE[0]}")/../build-perf}")
add=
if [ "${1:-}" = --add ]; then
  add=1
  shift
fi
page=RESULTS.md
results=results
if [ -n "${RINGSIDE_PERF_RESULTS:-}" ]; then
  mkdir -p -- "$RINGSIDE_PERF_RESULTS"
  results=$(realpath -- "$RINGSIDE_PERF_RESULTS")
  page=$results/RESULTS.md
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

if ! [ -e "$build/build.ninja" ]; then
  meson setup --buildtype=release -Dunity=on "$build" .. >/dev/null || fail "meson could not set up $build" \
    'packaging/install-build-deps.sh installs what is missing'
fi
ninja -C "$build" -j "${RINGSIDE_JOBS:-2}" --quiet measuring_programs >&2 || fail 'the build failed'

if [ -n "$add" ] && ! [ -e "$results/latest.json" ]; then
  fail "there is no $results/latest.json to add to" 'measure all rows first, without --add'
fi
mkdir -p -- "$results"
new=$(mktemp "$results/new.XXXXXX")
trap 'rm -f -- "$new"' EXIT
status=0
"$build/perf/ringbench" --json "$@" >"$new" || status=$?
# Invalid figures are omitted from the document, with the reason. Without any figures there is no page.
[ -s "$new" ] || fail "ringbench ended with status $status and without a document"
if [ -n "$add" ]; then
  document=$(python3 driver/merge_results.py "$results/latest.json" "$new") || fail 'nothing is added'
else
  document=$(python3 driver/results_document.py "$new")
fi
printf '%s\n' "$document" >"$new"
python3 driver/render_results.py "$new" "$page" "$results"
chmod 644 "$new"
mv -- "$new" "$results/latest.json"
# The figures in README.md and docs/ are those of the stored results.
if [ "$page" = RESULTS.md ] && ! python3 document_figures.py >&2; then
  echo 'run: README.md and docs/ keep their figures: the results lack some of them' >&2
fi
echo "run: $(realpath --relative-to="$OLDPWD" "$page" 2>/dev/null || echo "$page")" >&2
exit "$status"
