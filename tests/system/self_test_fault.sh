#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The driver's self test finds every fault that can be seeded in a card, says which test it was, and passes on a sound
# card beside them.
# timeout: 1100
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# host NAME [FAULT] : a guest, its port 0 up.
host() {
    printf '[[host]]\nname = "%s"\nmemory = "256MiB"\nconfigure = false\n' "$1"
    if [ $# -gt 1 ]; then printf '[host.card.fault]\n%s\n' "$2"; fi
}

# finds HOST PATTERN... : the self test on HOST fails, which ethtool says with status 2, and its output matches.
finds() {
    local name=$1
    shift
    printf '[[step]]\nname = "self-test-%s"\non = "%s"\ngroup = "self-test"\nexpect_exit = 2\n' "$name" "$name"
    printf 'run = "ip link set eth0 up && ethtool -t eth0 offline; status=$?; dmesg | grep self.test; exit $status"\n'
    printf 'expect_match = ['
    printf "'%s', " "$@"
    printf ']\nstop_on_failure = false\n'
}

{
    printf 'name = "self-test-faults"\n'
    host scratch 'scratch_stuck_at_one = 0x80'
    host loopback 'loopback_corrupts = true'
    host link 'link_fault = true'
    finds scratch 'test result is FAIL' 'registers .*\s1\n' 'admin queue .*\s0\n' 'loopback .*\s0\n'
    finds loopback 'test result is FAIL' 'loopback .*\s1\n' 'registers .*\s0\n'
    cat <<'TOML'
[[step]]
name = "link"
on = "link"
group = "self-test"
run = "ip link set eth0 up; sleep 0.5; ethtool eth0"
expect_match = ['Link detected: no']
stop_on_failure = false
TOML
} >"$scratch/faults.toml"

expect 0 500 "$VG810" run "$scratch/faults.toml" --out "$scratch/out"
head -n 30 "$scratch"/out/steps/*self-test* "$scratch"/out/steps/*link*
no_traces
checked "the self test finds a stuck bit and a damaging loopback, each by the right test; a port's fault is told"

expect 0 500 "$VG810" run self-test-fault --out "$scratch/shipped"
no_traces
checked "the shipped scenario: a bad unit is found, and a sound card passes"
