# SPDX-License-Identifier: Apache-2.0
# What the system tests share; sourced, not run. Expects `set -euo pipefail`. Gives every test a folder of its own
# ($scratch, where TMPDIR points, too), removed at its end, and ends what it started.
# shellcheck shell=bash

test_name=$(basename "${BASH_SOURCE[1]}" .sh)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VG810=${VG810:-$top/vg810}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vg810-test-XXXXXX")
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
started=() # processes to end with the test
trap clean_up EXIT

clean_up() {
    local status=$? pid
    for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    # A simulator that is killed takes its QEMUs along, in a moment.
    gone_within 20 || { status=1; echo "$test_name: processes are left: $(pgrep -af "$scratch")"; }
    rm -rf "$scratch"
    exit "$status"
}

fail() {
    echo "$test_name: $*"
    exit 1
}

# checked TEXT : one line for everything that was shown, with the seconds since the last one.
checked() {
    printf 'checked %4d s  %s\n' $((SECONDS - ${last_checked:-0})) "$*"
    last_checked=$SECONDS
}

# until_true SECONDS COMMAND... : asks again and again; false when the time is over.
until_true() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
}

# Whether a process still has this test's folder on its command line, as all QEMUs and simulators of the test have.
none_left() { ! pgrep -f "$scratch" >/dev/null; }
gone_within() { until_true "$1" none_left; }

# no_traces : nothing of a run is left: no process, no socket, no scratch folder.
no_traces() {
    gone_within 10 || fail "processes are left: $(pgrep -af "$scratch")"
    [ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(find "$TMPDIR" | tr '\n' ' ')"
}

# expect STATUS SECONDS COMMAND... : runs it; its words go to $scratch/told. Fails on another exit status, or when it
# takes longer.
expect() {
    local wanted=$1 limit=$2 status=0
    shift 2
    timeout --kill-after=10 "$limit" "$@" >"$scratch/told" 2>&1 </dev/null || status=$?
    if [ "$status" != "$wanted" ]; then
        tail -n 40 "$scratch/told"
        fail "exit status $status, expected $wanted: $*"
    fi
}

# tells TEXT : the last command said so, word for word.
tells() {
    grep -qF -- "$1" "$scratch/told" && return
    tail -n 40 "$scratch/told"
    fail "this was not said: $1"
}

# tells_not TEXT
tells_not() {
    if grep -F -- "$1" "$scratch/told"; then fail "this was said: $1"; fi
}

# start COMMAND... : in the background, in a process group of its own as a shell would do; sets $pid. Words go to
# $scratch/told.
start() {
    set -m
    "$@" >"$scratch/told" 2>&1 </dev/null &
    pid=$!
    set +m
    started+=("$pid")
}

# ends_within SECONDS STATUS : $pid, started before, ends with that exit status.
ends_within() {
    local status=0
    timeout "$1" tail --pid="$pid" -s 0.1 -f /dev/null || fail "process $pid still runs after $1 s"
    wait "$pid" 2>/dev/null || status=$?
    if [ "$status" != "$2" ]; then
        tail -n 40 "$scratch/told"
        fail "exit status $status, expected $2"
    fi
}

# json FILE EXPRESSION : a figure out of a JSON file; `x` is its content. Python, as the build needs it anyway.
json() { python3 -c 'import json, sys; x = json.load(open(sys.argv[1])); print(eval(" ".join(sys.argv[2].split())))' "$1" "$2"; }

# result_files FOLDER : the files below it, but not those about wall time.
result_files() { (cd "$1" && find . -type f ! -name wall.json ! -name 'qemu.*.log' | LC_ALL=C sort); }

# same_results A B : two runs left the same files, to the byte.
same_results() {
    local file
    result_files "$1" >"$scratch/files.a"
    result_files "$2" >"$scratch/files.b"
    diff "$scratch/files.a" "$scratch/files.b" || fail "the runs left different files"
    [ -s "$scratch/files.a" ] || fail "the runs left nothing"
    while read -r file; do
        cmp "$1/$file" "$2/$file" || fail "$file differs"
    done <"$scratch/files.a"
    echo "the same in both runs: $(tr '\n' ' ' <"$scratch/files.a")"
}
