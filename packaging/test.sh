#!/usr/bin/env bash
# Builds and tests everything; packaging/README.md tells what that is.
#
# usage: packaging/test.sh [--quick | --full]
#   --quick  g++ build and its tests only, as root and as an ordinary user
#   --full   hours more, instead of the usual run: what that leaves out. The other tests as root, as an ordinary user and
#            with sanitizers, all of clang-tidy, 400 kills a test, longer fuzzing and soak
# RINGSIDE_BUILD_DIR  where to build (default: build, in the tree); "-clang", "-tsan" and "-tidy" are
#                     added for the others. What is in it of another origin is built anew.
# RINGSIDE_JOBS       jobs at a time (default: 2); of tests, which wait half of their time, twice as many
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
}

quick=no
full=no
for argument in "$@"; do
  case $argument in
    --quick) quick=yes ;;
    --full) full=yes ;;
    -h | --help) usage && exit 0 ;;
    *) echo "test: unknown argument $argument" >&2 && usage >&2 && exit 2 ;;
  esac
done
[ "$quick$full" != yesyes ] || { usage >&2 && exit 2; }

build=$(realpath -m -- "${RINGSIDE_BUILD_DIR:-$(dirname -- "${BASH_SOURCE[0]}")/../build}")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root=$PWD
jobs=${RINGSIDE_JOBS:-2}
start_s=$SECONDS
limit_min=64
[ $full = no ] || limit_min=600
deadline_s=$((start_s + limit_min * 60))
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ringside-test.XXXXXX")

# Every process of a step carries this in its environment and is found by it, even after it has changed its
# session or parent.
tag=RINGSIDE_TEST_RUN=$$.$(date +%s%N)
step_pid=

tagged_pids() {
  local file
  # env: the search itself must not carry the tag.
  env -u RINGSIDE_TEST_RUN grep --files-with-matches --null-data --line-regexp --fixed-strings \
    -e "$tag" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
    file=${file#/proc/}
    echo "${file%/environ}"
  done || true
}

signal_tagged() {
  local pid
  for pid in $(tagged_pids); do kill "-$1" "$pid" 2>/dev/null || true; done
}

# Waits at most $1 seconds until no tagged process is left.
wait_for_tagged() {
  local tenth
  for ((tenth = 0; tenth < $1 * 10; ++tenth)); do
    [ -n "$(tagged_pids)" ] || return 0
    sleep 0.1
  done
  [ -z "$(tagged_pids)" ]
}

# Called by traps.
# shellcheck disable=SC2317
clean_up() {
  trap - EXIT
  [ -z "$step_pid" ] || kill -TERM -- "-$step_pid" 2>/dev/null || true
  signal_tagged TERM
  wait_for_tagged 5 || signal_tagged KILL
  rm -rf -- "$scratch"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

passed=0
failed=0
summary=()

note() { # NAME RESULT
  summary+=("$(printf '%-28s %s' "$1" "$2")")
  case $2 in FAILED*) failed=$((failed + 1)) ;; esac
}

# run BOUND_S COMMAND... in a separate session. In the background, so that the shell handles a signal at once;
# background processes ignore SIGINT, which tests must not inherit.
run() {
  local bound_s=$1 status=0
  shift
  [ "$bound_s" -le $((deadline_s - SECONDS)) ] || bound_s=$((deadline_s - SECONDS))
  if [ "$bound_s" -le 0 ]; then
    echo 'test: out of time' >&2
    return 124
  fi
  env --default-signal=HUP,INT,QUIT "$tag" \
    setsid timeout --kill-after=10 "$bound_s" "$@" </dev/null &
  step_pid=$!
  wait "$step_pid" || status=$?
  step_pid=
  return "$status"
}

# step NAME BOUND_S COMMAND...: prints the command ($shown instead if set), and its output only if it fails.
step() {
  local name=$1 log="$scratch/log" from_s=$SECONDS
  shift
  printf '\n== %s: %s\n' "$name" "${shown:-${*:2}}"
  if run "$@" >"$log" 2>&1; then
    note "$name" "ok ($((SECONDS - from_s)) s)"
    return 0
  fi
  tail -n 200 "$log"
  note "$name" "FAILED ($((SECONDS - from_s)) s)"
  return 1
}

# set_up NAME DIR CC CXX OPTION...: with the variables of $linker.
linker=()
set_up() {
  local name=$1 dir=$2
  local settings="$root ${*:3}"
  if [ -e "$dir/meson-private" ] &&
    [ "$(cat "$dir/set-up-by-test.txt" 2>/dev/null)" != "$settings" ]; then
    echo "test: $dir has other settings; building it again"
    rm -rf -- "$dir"
  fi
  if [ -e "$dir/build.ninja" ]; then
    step "$name: set up" 300 meson setup --reconfigure "$dir" "$root"
  else
    step "$name: set up" 300 env CC="$3" CXX="$4" "${linker[@]}" meson setup "${@:5}" "$dir" "$root"
  fi || return 1
  printf '%s\n' "$settings" >"$dir/set-up-by-test.txt"
}

# compile NAME DIR [TARGET...]: compiler warnings are already errors; this also checks for warnings of linker
# and tools.
compile() {
  shown="ninja -C $2 -j $jobs${3:+ TARGET...}" step "$1: build" 1800 ninja -C "$2" -j "$jobs" "${@:3}" ||
    return 1
  if grep -nE '(^|[ :])warning:' "$scratch/log"; then
    note "$1: free of warnings" FAILED
    return 1
  fi
}

count_of() { # LINE_START LOG
  awk -v start="$1:" 'index($0, start) == 1 { n = $NF } END { print n + 0 }' "$2"
}

# run_tests NAME DIR BOUND_S MULTIPLIER OPTION...: as the user of $as_user.
as_user=()
run_tests() {
  local name="$1: tests" dir=$2 bound_s=$3 multiplier=$4 status=0 from_s=$SECONDS
  local log="$dir/meson-logs/testlog.txt" ok bad skipped
  shift 4
  local command=("${as_user[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes $((2 * jobs))
    --timeout-multiplier "$multiplier" "$@")
  printf '\n== %s: %s\n' "$name" "${command[*]}"
  rm -f -- "$log" "${log%.txt}.json"
  run "$bound_s" "${command[@]}" || status=$?
  if ! [ -e "$log" ]; then
    note "$name" "FAILED (status $status, no test log)"
    return
  fi
  ok=$(($(count_of Ok "$log") + $(count_of 'Expected Fail' "$log")))
  bad=$(($(count_of Fail "$log") + $(count_of 'Unexpected Pass' "$log") + $(count_of Timeout "$log")))
  skipped=$(count_of Skipped "$log")
  passed=$((passed + ok))
  local result="$ok passed, $bad failed, $skipped skipped ($((SECONDS - from_s)) s)"
  if [ "$bad" -gt 0 ]; then
    failed=$((failed + bad))
    summary+=("$(printf '%-28s %s' "$name" "$result")")
    # Again at the end: of a long output often only that is kept.
    mapfile -t -O "${#summary[@]}" summary < <(sed -nE 's/^ *[0-9]+\/[0-9]+ (.*[^ ]) +(FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) .*/  \2: \1/p' "$log" | sort -u)
  elif [ "$status" -ne 0 ] || [ "$ok" -eq 0 ]; then
    note "$name" "FAILED (status $status; $result)"
  else
    note "$name" "$result"
  fi
  name=${name%: tests}
  check_skips "${name%% (*}" "${log%.txt}.json"
}

# check_skips STEP LOG: skipped tests, and skipped cases of tests, must be on the list.
check_skips() {
  local step=$1
  [ "$(id -u)" -eq 0 ] || step+=',ordinary user'
  packaging/allowed_skips.py packaging/allowed-skips.txt "$step" "$2" ||
    note "$1: skips allowed" FAILED
}

# The tests that are meaningful in every build. This leaves out tests of the source tree, of the installation,
# of the manual, of the model, of compilers, of containers and of the metrics in other programs, and tests of the suites "slow", "unsanitized" and "long".
everywhere=(--no-suite structure --no-suite install --no-suite manual --no-suite model --no-suite compilers
  --no-suite monitoring --no-suite containers --no-suite slow --no-suite unsanitized --no-suite long)

source_files() { # PATTERN..., NUL-separated; tracked files, or all files if there is no repository
  git ls-files -z -- "$@" 2>/dev/null && return
  local names=() pattern
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find . \( -path './build*' -o -name .git \) -prune -o -type f \( "${names[@]:1}" \) -print0
}

check_format() {
  source_files '*.cpp' '*.hpp' '*.h' '*.c' >"$scratch/files"
  # Names only: clang-format reports each wrong line.
  # shellcheck disable=SC2016
  shown='clang-format --dry-run -Werror FILE...' step 'clang-format' 300 sh -c '
    out=$(xargs -0 -a "$0" clang-format --dry-run -Werror 2>&1) && exit 0
    files=$(printf "%s\n" "$out" | sed -nE "s/^([^: ]+):[0-9]+:[0-9]+: error.*/\1/p" | sort -u)
    printf "%s\n" "${files:-$out}" "clang-format -i formats a file."
    exit 1
  ' "$scratch/files"
}

# newest_sources N FOLDER...: the N sources that the newest commits changed; without a repository, by their time.
newest_sources() {
  local count=$1
  shift
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git log --name-only --pretty=format: -- "$@"
  else
    find "$@" -type f -printf '%T@ %p\n' | sort -rn | cut -d ' ' -f 2-
  fi | awk -v count="$count" '
    /\.(cpp|c)$/ && !seen[$0]++ && (getline line <$0) >= 0 { close($0); print; if (++found == count) exit }'
}

check_tidy() { # ANALYZER_STATES FILE...
  local dir=$build-tidy states=$1
  local files=("${@:2}")
  # Configured for its compile database.
  set_up clang-tidy "$dir" clang clang++ -Dfuzz=true -Ddebug=false || return 0
  shown="packaging/clang_tidy.py BUILD_DIR JOBS FILE..." step "clang-tidy" 7200 packaging/clang_tidy.py --analyzer-states "$states" "$dir" "$jobs" "${files[@]}"
}

# Debug information has only line numbers, and sixteen sources of a target are compiled together: each takes a third of the
# time.
quick_build=(-Ddebug=false -Dc_args=-g1 -Dcpp_args=-g1 -Dunity=on)
[ $full = yes ] || quick_build+=(-Dquick_compile=true)

# What the ordinary user runs. Root runs it in the build with clang, and in this one with --full.
of_users=(application-safety consumerd end-to-end)

with_gcc() {
  set_up g++ "$build" gcc g++ "${quick_build[@]}" && compile g++ "$build" || return 0
  if [ $full = yes ]; then
    [ "$(id -u)" -ne 0 ] || run_tests g++ "$build" 5000 3 "${of_users[@]/#/--suite=}" --suite=containers
  elif [ "$(id -u)" -ne 0 ]; then
    run_tests g++ "$build" 3000 3 --no-suite=long
  else
    run_tests g++ "$build" 1500 3 "${of_users[@]/#/--no-suite=}" --no-suite=long
  fi
  with_ordinary_user
}

# Tests of files, users and permissions, as a user who has no account and may write only to a separate folder: meson
# finds the build there through links.
with_ordinary_user() {
  local name='ordinary user' own=$scratch/ordinary id=65533 entry
  [ "$(id -u)" -eq 0 ] || return 0
  chmod 755 "$scratch"
  mkdir -p "$own/build/meson-logs" "$own/home" "$own/tmp"
  for entry in "$build"/*; do
    case $entry in
      */meson-logs | *.xml) ;;  # written by tests
      *) ln -s -- "$entry" "$own/build/" ;;
    esac
  done
  chown -hR "$id:$id" "$own"
  as_user=(env PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "HOME=$own/home" "TMPDIR=$own/tmp"
    setpriv --reuid "$id" --regid "$id" --clear-groups)
  if ! "${as_user[@]}" test -r "$build/meson-private/coredata.dat"; then
    note "$name: tests" "FAILED (other users cannot read $build; move it, or set RINGSIDE_BUILD_DIR)"
  elif [ $full = yes ]; then
    # Without the tests that write to the build itself, or that only root can run.
    run_tests "$name" "$own/build" 3600 3 "${of_users[@]/#/--no-suite=}" --no-suite install --no-suite perf --no-suite containers --no-suite release
  else
    run_tests "$name" "$own/build" 900 3 "${of_users[@]/#/--suite=}"
  fi
  as_user=()
}

# It takes a third of the time of the standard linker. Users' builds keep that one.
fast_linker=(CC_LD=lld CXX_LD=lld)
sanitized=(-Doptimization=1 -Dperf=false "${quick_build[@]}" -Db_lundef=false)
# They take a fifth of the compilation. AddressSanitizer finds what the check of sizes finds; objects are not cast down.
without_checks=-fno-sanitize=vptr,object-size

with_clang() {
  local dir=$build-clang linker=("${fast_linker[@]}")
  set_up clang "$dir" clang clang++ "${sanitized[@]}" -Db_sanitize=address,undefined -Dfuzz=true \
    "-Dc_args=-g1 $without_checks" "-Dcpp_args=-g1 $without_checks" &&
    compile clang "$dir" || return 0
  export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:abort_on_error=1:print_stacktrace=1}
  # These start many short processes: they run in the g++ build. Fuzzing and the tests of damaged input reach the same
  # code here.
  local short_processes=(trace-commands once)
  if [ $full = yes ]; then
    run_tests clang "$dir" 7200 6 "${short_processes[@]/#/--suite=}" "${everywhere[@]}"
  else
    # The g++ build has the full numbers of kills.
    RINGSIDE_TEST_ROUNDS=6 \
      run_tests clang "$dir" 1800 6 "${short_processes[@]/#/--no-suite=}" "${everywhere[@]}"
  fi
}

# Races between the threads of one process; thread_sanitizer_tests.py decides which tests run.
with_thread_sanitizer() {
  local dir=$build-tsan name=ThreadSanitizer chosen=packaging/thread_sanitizer_tests.py linker=("${fast_linker[@]}")
  local reports=$scratch/races tests targets which=()
  [ $full = no ] || which=(full)
  set_up "$name" "$dir" clang clang++ "${sanitized[@]}" -Db_sanitize=thread || return 0
  if ! "$chosen" "$dir" tests "${which[@]}" >"$scratch/tests" || ! "$chosen" "$dir" targets "${which[@]}" >"$scratch/targets"; then
    note "$name: tests to run" FAILED
    return 0
  fi
  mapfile -t tests <"$scratch/tests"
  mapfile -t targets <"$scratch/targets"
  compile "$name" "$dir" "${targets[@]}" || return 0
  printf '\n'
  "$chosen" "$dir" left-out "${which[@]}" | sed 's/^/left out: /'
  mkdir "$reports"
  # To files, so that the report survives if a test kills the process or ignores its standard error.
  TSAN_OPTIONS="halt_on_error=1:log_path=$reports/report${TSAN_OPTIONS:+:$TSAN_OPTIONS}" \
    RINGSIDE_TEST_ROUNDS=10 RINGSIDE_TEST_RECORDS=400000 \
    run_tests "$name" "$dir" 1800 6 "${tests[@]}"
  if [ -n "$(ls "$reports")" ]; then
    tail -n 100 "$reports"/*
    note "$name: no report" FAILED
  fi
}

# Steps that take hours, in the builds that the earlier steps have made.
for_hours() {
  RINGSIDE_TEST_ROUNDS=400 run_tests 'g++ (400 kills)' "$build" 7200 30 \
    service_killed consumer_killed rotation overwrite scribbled_segment simulated_storage_faults simulated_power_loss
  RINGSIDE_TEST_ROUNDS=40 run_tests 'g++ (40 kills)' "$build" 7200 30 contexts open_spans tasks
  RINGSIDE_TEST_ROUNDS=10000 run_tests 'g++ (10,000 crashes)' "$build" 7200 30 random_crashes
  run_tests 'g++ (from source)' "$build" 3600 3 build_systems_reader package_managers
  run_tests 'g++ (other versions)' "$build" 9000 1 two_builds
  step 'source archive' 6000 packaging/release/check_archive.sh "$build" || true
  run_tests 'g++ (packages)' "$build" 18000 1 deb_packages rpm_packages
  step 'AArch64: tools' 900 packaging/aarch64/install-tools.sh || true
  run_tests 'g++ (AArch64)' "$build" 9000 1 aarch64
  step 'soak of 900 s' 1800 tests/soak/soak.py --build "$build" --seconds 900 || true
  RINGSIDE_FUZZ_SECONDS=180 run_tests 'clang (fuzzing for 180 s)' "$build-clang" 7200 30 --suite fuzz
}

check_leftovers() {
  local pid
  if wait_for_tagged 5; then
    note 'nothing left running' ok
    return
  fi
  for pid in $(tagged_pids); do
    printf 'test: left running: %s %s\n' "$pid" "$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")"
  done
  note 'nothing left running' FAILED
}

# Tests that cut or change each byte of a file take every fifth: their repetitions find the same, five times as slowly.
[ $full = yes ] || export RINGSIDE_TEST_BYTES_APART=${RINGSIDE_TEST_BYTES_APART:-5}

packaging/install-build-deps.sh
with_gcc
if [ $full = yes ]; then
  with_clang
  with_thread_sanitizer
  for_hours
  mapfile -d '' -t sources < <(find libagent consumerd shm-layout tools trace-format tests perf '(' -name '*.cpp' -o -name '*.c' ')' -print0)
  check_tidy 5000 "${sources[@]}" || true
elif [ $quick = no ]; then
  check_format || true
  with_clang
  with_thread_sanitizer
  # All sources, and the analyzer, run with --full: they take most of the time.
  mapfile -t sources < <(newest_sources 40 libagent consumerd shm-layout tools trace-format)
  check_tidy 0 "${sources[@]}" || true
fi
check_leftovers

printf '\n== summary (%d s)\n' $((SECONDS - start_s))
printf '%s\n' "${summary[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
