#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A ping's round trip as the guest measures it grows by the cables' added propagation when they are a hundred times as
# long, and is the sum of what the cards' own clocks say.
# timeout: 900
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# One way: host, leaf, spine, leaf, host, so 2 x 3 m and 2 x 20 m; there and back; 5 ns a metre.
short_cable_ns=$((2 * (2 * 3 + 2 * 20) * 5))

# timing OUT SETTING... : the scenario's own checks pass: wire part within 1 % of the closed form, the guest's round trip
# within 2 % of its parts.
timing() {
    local out=$1
    shift
    expect 0 400 "$VG810" run long-links "$@" --out "$out"
    [ "$(json "$out/summary.json" '[c["passed"] for c in x["checks"] if c["kind"] == "ping-timing"]')" = "[True]" ] ||
        fail "the ping-timing check was not made"
    grep -A 10 '^ping ' "$scratch/told" | head -n 11
    no_traces
}

# rtts OUT : the guest's figures, ns, ascending.
rtts() { json "$(echo "$1"/steps/*-echo.left.txt)" '" ".join(str(e["rtt_ns"]) for e in x["echoes"])' | tr ' ' '\n' | sort -n; }
median() { rtts "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# wire OUT : ps on the wire of the last ping, both ways.
wire() { json "$1/summary.json" 'x["pings"][-1]["wire_ps"]'; }

# near WHAT VALUE WANTED PERCENT
near() {
    echo "$1: $2, expected $3 within $4 %"
    awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { d = a > b ? a - b : b - a; exit !(d <= b * p / 100) }' || fail "$1 is off"
}

timing "$scratch/long"
checked "cables of 300 m and 2 km"
timing "$scratch/short" --set topology.host_length=3m --set topology.spine_length=20m --set step.echo.value.rtt_ns.min=1000
checked "cables of 3 m and 20 m"

added=$((99 * short_cable_ns))
near "round trip measured by the guest grows by, ns" $(($(median "$scratch/long") - $(median "$scratch/short"))) $added 5
near "wire part grows by, ps" $(($(wire "$scratch/long") - $(wire "$scratch/short"))) $((added * 1000)) 1
checked "growth of the round trip"
