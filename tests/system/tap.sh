#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# This machine's own kernel on the fabric, in a network namespace that the run makes and removes: ping and an HTTP
# download with the right checksum; nothing of it stays, even when the simulator is killed.
# timeout: 900
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# What a user would see of this machine's own network.
network() { ip -o link | awk '{ print $2, $NF }'; ip route; ip netns list; }

anchor() { pgrep -P "$pid" -x vg810-netns; }
# Whether no process is left in the namespace.
abandoned() {
    local process
    for process in /proc/[0-9]*/ns/net; do
        if [ "$(readlink "$process" 2>/dev/null)" = "$namespace" ]; then return 1; fi
    done
}

begin() {
    start "$VG810" run tap-http --out "$1"
    until_true 120 anchor >/dev/null || fail "the run made no namespace: $(cat "$scratch/told")"
    namespace=$(readlink "/proc/$(anchor)/ns/net")
    [ "$namespace" != "$(readlink /proc/self/ns/net)" ] || fail "the TAP host is in this machine's own namespace"
}

network >"$scratch/before"
begin "$scratch/out"
ends_within 500 0
[ "$(json "$scratch/out/summary.json" 'sorted(s["name"] for s in x["steps"] if s["passed"] and s["host"] == "outside")')" = \
    "['download', 'ping-in']" ] || fail "the steps of the TAP host did not pass"
cat "$scratch"/out/steps/*-download.outside.txt
abandoned || fail "processes are left in $namespace"
no_traces
network | diff "$scratch/before" - || fail "the machine's own network changed"
checked "ping both ways and a download between the machine's kernel and a guest"

begin "$scratch/killed"
kill -KILL "$pid"
ends_within 10 137
until_true 10 abandoned || fail "$namespace outlives the simulator"
gone_within 10 || fail "processes are left: $(pgrep -af "$scratch")"
network | diff "$scratch/before" - || fail "the machine's own network changed"
checked "the namespace goes with a killed simulator"

expect 2 60 "$VG810" run tap-http --set mode=lockstep --out "$scratch/lockstep"
tells "a tap host is this machine's own kernel, whose time cannot be held: it needs mode = \"paced\""
checked "lockstep is refused with the reason"
