#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The headline: two guests with stock kernels and the real driver across the fabric, in lockstep; and the same run again
# while other processes load the machine leaves the same files, to the byte.
# timeout: 1500
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

steps_wanted=(links lspci ping-port0 ping-port1 tcp tcp-reverse udp udp-reverse jumbo-ping jumbo-tcp self-test irq-delay)

# The consoles tell all that the kernels have to say, so that there is something to compare.
run() {
    local host
    expect 0 700 "$VG810" run "$top/scenarios/first-light.toml" --set 'host.*.kernel_arguments=loglevel=7' --out "$1"
    for host in left right; do
        grep -q 'Linux version 6\.12' "$1/console.$host.log" || fail "the console of $host is silent"
    done
    grep -A 11 '^ping ' "$scratch/told" | head -n 12
    tail -n 1 "$scratch/told"
    json "$1/wall.json" '"%.0f s of wall time, %.4f guest seconds a second" % (x["total_seconds"], x["ratio"])'
    no_traces
}

# The scenario does what it is there for: a step that is gone would pass in silence.
all_was_run() {
    local step
    for step in "${steps_wanted[@]}"; do
        [ "$(json "$1/summary.json" "all(s['passed'] for s in x['steps'] if s['name'] == '$step') and
            any(s['name'] == '$step' for s in x['steps'])")" = True ] || fail "step $step did not pass"
    done
    [ "$(json "$1/summary.json" 'len(x["checks"]) >= 4 and all(c["passed"] for c in x["checks"])')" = True ] ||
        fail "a check is missing or failed"
}

captures_are_clean() {
    local file complaints=0
    for file in "$1"/*.pcapng; do
        complaints=$(tshark -r "$file" -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
            -Y '_ws.malformed or ip.checksum.status == 0 or tcp.checksum.status == 0 or udp.checksum.status == 0' \
            2>/dev/null | wc -l)
        [ "$complaints" = 0 ] || fail "tshark complains about $complaints frames of $file"
    done
}

# One busy loop for each core, and some more.
load_machine() {
    local i
    for ((i = 0; i <= $(nproc); i++)); do
        timeout 800 sh -c 'while :; do :; done' &
        started+=("$!")
        loads+=("$!")
    done
}
loads=()
unload_machine() { kill "${loads[@]}"; }

run "$scratch/quiet"
all_was_run "$scratch/quiet"
captures_are_clean "$scratch/quiet"
checked "first-light passes; tshark finds its captures clean"

load_machine
run "$scratch/loaded"
unload_machine
same_results "$scratch/quiet" "$scratch/loaded"
checked "the same, to the byte, on a loaded machine"
