#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lockstep runs are the same to the byte, whatever else the machine does: three seeds, each run alone, on a loaded machine
# and beside another run; and two seeds differ, so that it is not for want of chance that runs agree.
# timeout: 3600
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Both ports at once, both directions at once, so that there is much to be taken in another order.
cat >"$scratch/crossing.toml" <<'TOML'
name = "crossing"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
[[host]]
name = "left"
kernel_arguments = "loglevel=7"
[[host]]
name = "right"
leaf = 1
kernel_arguments = "loglevel=7"
[[capture]]
link = "left.0"
file = "left.pcapng"
[[capture]]
link = "right.1"
file = "right.pcapng"
[[step]]
name = "server"
on = ["left", "right"]
run = "iperf3 -s -D"
[[step]]
name = "flood"
on = "left"
group = "both"
run = "ping -q -f -c 2000 10.1.0.2 >/tmp/ping & iperf3 -c 10.0.0.2 -n 5M -J; status=$?; wait; cat /tmp/ping; exit $status"
expect_contains = ["2000 received"]
[[step]]
name = "back"
on = "right"
group = "both"
run = "iperf3 -c 10.0.0.1 -n 5M -J && head -c 64 /dev/urandom | sha256sum && ethtool -S eth0"
[[step]]
name = "kernel-log"
on = ["left", "right"]
run = "dmesg"
forbid_match = ["Call Trace", "WARNING:", "BUG:", "NETDEV WATCHDOG"]
TOML

crossing() { # OUT SEED
    expect 0 900 "$VG810" run "$scratch/crossing.toml" --seed "$2" --out "$1"
    [ "$(find "$1/steps" -size +0 | wc -l)" -ge 4 ] || fail "the steps left too little"
}

loads=()
load_machine() {
    local i
    for ((i = 0; i <= $(nproc); i++)); do
        timeout 3000 sh -c 'while :; do :; done' &
        started+=("$!")
        loads+=("$!")
    done
}

for seed in 1 2 3; do
    crossing "$scratch/alone-$seed" "$seed"
    checked "seed $seed: $(json "$scratch/alone-$seed/wall.json" '"%.0f s" % x["total_seconds"]')"
done
if cmp -s "$scratch"/alone-{1,2}/left.pcapng; then fail "seeds 1 and 2 give the same traffic"; fi

load_machine
for seed in 1 2 3; do
    crossing "$scratch/loaded-$seed" "$seed"
    same_results "$scratch/alone-$seed" "$scratch/loaded-$seed"
    checked "seed $seed, on a loaded machine: the same"
done
kill "${loads[@]}"

start "$VG810" run "$scratch/crossing.toml" --seed 2 --out "$scratch/beside"
crossing "$scratch/again-1" 1
ends_within 900 0
same_results "$scratch/alone-1" "$scratch/again-1"
same_results "$scratch/alone-2" "$scratch/beside"
no_traces
checked "two runs at the same time: each the same as alone"
