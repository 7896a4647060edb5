#!/usr/bin/env bash
# Runs kvd under redis-benchmark, untraced and then traced; packaging/README.md describes the output.
#
# RINGSIDE_DEMO_REQUESTS  requests of each kind, SET and GET (default: 100000)
# RINGSIDE_DEMO_BUILD_DIR where to build (default: build-demo, in the tree)
# RINGSIDE_DEMO_DIR       where the trace and its text go (default: a new temporary folder)
# RINGSIDE_SHM_DIR        shared-memory file system (default: /dev/shm)
# RINGSIDE_JOBS           compiler processes at a time (default: 2)
set -euo pipefail

fail() {
  printf 'demo: %s\n' "$@" >&2
  exit 1
}

[ $# -eq 0 ] || fail "takes no arguments; see the comment at its top for environment variables"
build=$(realpath -m -- "${RINGSIDE_DEMO_BUILD_DIR:-$(dirname -- "${BASH_SOURCE[0]}")/../build-demo}")
out=${RINGSIDE_DEMO_DIR:-}
if [ -n "$out" ]; then
  mkdir -p -- "$out"
  out=$(realpath -- "$out")
  [ -z "$(ls -A -- "$out")" ] || fail "$out is not empty; name another folder in RINGSIDE_DEMO_DIR"
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
requests=${RINGSIDE_DEMO_REQUESTS:-100000}
[[ $requests =~ ^[1-9][0-9]*$ ]] || fail "RINGSIDE_DEMO_REQUESTS=$requests is not a number of requests; use an integer of at least 1"
unset RINGSIDE_DISABLE RINGSIDE_LEVEL RINGSIDE_OVERFLOW RINGSIDE_BLOCK_TIMEOUT_MS RINGSIDE_ABSENT_TIMEOUT_MS RINGSIDE_SERVICE

shm=
kvd_pid=
consumerd_pid=
load_pid=

# A zombie has ended: it only waits until `wait` reads its status.
has_ended() {
  case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | Z*) return 0 ;; esac
  return 1
}

# poll BOUND_S COMMAND...: false if the command has not succeeded within the bound.
poll() {
  local tenth bound_s=$1
  shift
  for ((tenth = 0; tenth < bound_s * 10; ++tenth)); do
    ! "$@" || return 0
    sleep 0.1
  done
  "$@"
}

# Called by traps.
# shellcheck disable=SC2317
clean_up() {
  local pid
  trap - EXIT
  for pid in $load_pid $kvd_pid $consumerd_pid; do
    kill -TERM "$pid" 2>/dev/null || continue
    poll 5 has_ended "$pid" || kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  [ -z "$shm" ] || rm -rf -- "$shm"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# poll_with PID BOUND_S COMMAND...: like poll; also false if process PID ends first.
poll_with() {
  local pid=$1 bound_s=$2
  shift 2
  true_or_ended() { "$@" || has_ended "$pid"; }
  poll "$bound_s" true_or_ended "$@" && "$@"
}

# stop NAME PID: sends SIGTERM; the process must exit cleanly within 30 s.
stop() {
  local status=0
  kill -TERM "$2" 2>/dev/null || fail "$1 has ended early; its messages are in $out/$1.log"
  poll 30 has_ended "$2" || fail "$1 did not end within 30 s of SIGTERM"
  wait "$2" || status=$?
  [ "$status" -eq 0 ] || fail "$1 ended with status $status; its messages are in $out/$1.log"
}

listens() { grep -q '^kvd: listening on ' "$out/kvd.out"; }

# start_kvd ENVIRONMENT...: sets kvd_pid and port.
start_kvd() {
  : >"$out/kvd.out"
  env "$@" "$kvd" --port 0 --threads 2 >"$out/kvd.out" 2>>"$out/kvd.log" </dev/null &
  kvd_pid=$!
  poll_with "$kvd_pid" 30 listens || fail "kvd does not listen; its messages are in $out/kvd.log"
  port=$(sed -n 's/^kvd: listening on .*:\([0-9]*\)$/\1/p' "$out/kvd.out")
}

# In the background, so that the shell handles a signal at once.
load() { # REQUESTS OUTPUT
  local status=0
  timeout 300 redis-benchmark -h 127.0.0.1 -p "$port" -t set,get -n "$1" -c 20 -P 8 --csv \
    >"$2" 2>"$2.err" </dev/null &
  load_pid=$!
  wait "$load_pid" || status=$?
  load_pid=
  [ "$status" -eq 0 ] || fail "redis-benchmark ended with status $status: $(tail -n 3 "$2.err")"
}

rps() { # KIND CSV
  local value
  value=$(awk -F'"' -v kind="$1" '$2 == kind { print $4 }' "$2")
  [[ $value =~ ^[0-9.]+$ ]] || fail "redis-benchmark reported no rate of $1 in $2"
  echo "$value"
}

thread_names() { # PID: one per line, sorted
  local file
  for file in "/proc/$1"/task/*/comm; do cat "$file"; done | sort
}

# measure LABEL ENVIRONMENT...: runs the load against a new kvd, and leaves that kvd running.
measure() {
  local label=$1
  shift
  start_kvd "$@"
  [ "$label" = untraced ] || until_segment_is_served
  load "$requests" "$out/$label.csv"
  thread_names "$kvd_pid" >"$out/$label.threads"
}

# Without this, the first records might wait for a consumer that is still starting.
is_served() { grep -q "/ringside[.]kvd[.]${kvd_pid}[.]" "/proc/$consumerd_pid/maps" 2>/dev/null; }

until_segment_is_served() {
  poll_with "$consumerd_pid" 30 is_served || fail 'consumerd does not serve the segment of kvd' \
    "its messages are in $out/consumerd.log"
}

segment_is_gone() { [ -z "$(find "$shm" -name 'ringside.kvd.*' -print -quit)" ]; }

packaging/install-build-deps.sh --demo
if ! [ -e "$build/build.ninja" ]; then
  meson setup --buildtype=release -Dunity=on -Dtests=false -Dperf=false "$build" . >/dev/null || fail "meson could not set up $build"
fi
kvd=$build/libagent/examples/kvd/kvd
consumerd=$build/consumerd/consumerd
ringcat=$build/tools/ringcat
echo "demo: building in $build"
ninja -C "$build" -j "${RINGSIDE_JOBS:-2}" --quiet \
  libagent/examples/kvd/kvd consumerd/consumerd tools/ringcat || fail 'the build failed'

[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/ringside-demo.XXXXXX")
# A separate folder: a consumerd that already runs on this machine must not take over the segment.
shm=$(mktemp -d "${RINGSIDE_SHM_DIR:-/dev/shm}/ringside-demo.XXXXXX")
trace=$out/trace
mkdir -- "$trace"

echo "demo: kvd untraced, $requests SET and $requests GET"
measure untraced RINGSIDE_DISABLE=1
stop kvd "$kvd_pid"
kvd_pid=

echo "demo: kvd traced, the same again"
"$consumerd" --output "$trace" --shm-dir "$shm" >"$out/consumerd.log" 2>&1 </dev/null &
consumerd_pid=$!
measure traced RINGSIDE_SHM_DIR="$shm"
stop kvd "$kvd_pid"
kvd_pid=
poll_with "$consumerd_pid" 60 segment_is_gone || fail 'consumerd has not removed the segment of kvd, which has ended' \
  "its messages are in $out/consumerd.log"
stop consumerd "$consumerd_pid"
consumerd_pid=

echo 'demo: decoding'
"$ringcat" "$trace" >"$out/trace.txt" || fail "ringcat could not decode $trace"
lost_lines=$(grep -cw LOST "$out/trace.txt" || true)
records=$(grep -cvw LOST "$out/trace.txt" || true)
trace_bytes=$(find "$trace" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%d", sum }')

row() { printf '%-26s %s\n' "$1" "$2"; }
ratio_row() { # KIND
  local untraced traced
  untraced=$(rps "$1" "$out/untraced.csv")
  traced=$(rps "$1" "$out/traced.csv")
  row "requests/s, $1" "$(awk -v untraced="$untraced" -v traced="$traced" \
    'BEGIN { printf "%d untraced, %d traced, ratio %.2f", untraced, traced, traced / untraced }')"
}
echo
ratio_row SET
ratio_row GET
row records "$records"
row 'records lost' "$([ "$lost_lines" -eq 0 ] && echo 0 || echo "in $lost_lines places")"
[ "$records" -eq 0 ] || row 'bytes per record' \
  "$(awk -v bytes="$trace_bytes" -v n="$records" 'BEGIN { printf "%.2f", bytes / n }')"
row 'threads of kvd, traced' "$(wc -l <"$out/traced.threads"): $(paste -sd ' ' "$out/traced.threads")"
row 'first line' "$(head -n 1 "$out/trace.txt")"
row 'last line' "$(tail -n 1 "$out/trace.txt")"
row 'trace, text and logs' "$out"

# Every request logs several records, so fewer than one per request means loss that was not reported.
[ "$records" -ge $((2 * requests)) ] || fail "only $records records of $((2 * requests)) requests"
[ "$lost_lines" -eq 0 ] || fail 'records were lost:' "$(grep -wm 3 LOST "$out/trace.txt")"
cmp -s "$out/untraced.threads" "$out/traced.threads" ||
  fail "tracing changed kvd's threads; untraced: $(paste -sd ' ' "$out/untraced.threads")"
