#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fabric scenarios that come with vg810: each shows what its comment says, and fails by name when the cause is taken
# away. The same seed gives the same files, to the byte. What cannot be is refused at its place, before simulating.
# timeout: 240
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# shows NAME SETTING... : the scenario passes.
shows() {
    local name=$1
    shift
    expect 0 60 "$VG810" run "$top/scenarios/$name.toml" --out "$scratch/shown" "$@"
}

# lost CHECK NAME SETTING... : with the setting, that check of the scenario fails, and is named.
lost() {
    local check=$1 name=$2
    shift 2
    expect 1 60 "$VG810" run "$top/scenarios/$name.toml" --out "$scratch/lost" "$@"
    tells "FAILED check $check"
}

congestion() {
    shows incast-dcqcn
    lost hardly-paused incast-dcqcn --set wire.cc=none
    shows incast-pfc-only
    lost nothing-dropped incast-pfc-only --set 'switches.pfc.priorities=[]'
    checked "incast: DCQCN pauses nobody, PFC alone loses nothing"
    shows victim-flow
    lost victim-keeps-its-rate victim-flow --set wire.cc=none
    shows parking-lot
    lost fair parking-lot --set wire.cc=none
    checked "victim and parking lot: PFC alone harms them"
    shows shoot-out
    lost hardly-paused shoot-out --set workload.0.cc=none
    checked "four algorithms side by side"
}

# Somebody's own algorithm instead of a built-in one, and its decisions reach the wire.
own_algorithm() {
    local none own
    cc -O2 -Wall -shared -fPIC -I "$top/model/rdma/cc" "$top/model/rdma/cc/example/my_cc.c" -o "$scratch/my_cc.so"
    sed 's|^cc = "dcqcn"|cc = "none"|; s/^min = 10/min = 0/' "$top/scenarios/victim-flow.toml" >"$scratch/none.toml"
    sed 's|^cc = "none"|cc = "'"$scratch"'/my_cc.so"|' "$scratch/none.toml" >"$scratch/own.toml"
    expect 0 60 "$VG810" run "$scratch/none.toml" --out "$scratch/none"
    expect 0 60 "$VG810" run "$scratch/own.toml" --out "$scratch/own"
    none=$(json "$scratch/none/summary.json" 'x["figures"]["pause.frames"]')
    own=$(json "$scratch/own/summary.json" 'x["figures"]["pause.frames"]')
    [ "${own%.*}" -lt "$((${none%.*} / 2 + 1))" ] || fail "one's own algorithm: $own pause frames, without any $none"
    checked "an algorithm of one's own"
}

# A verdict other than the expected one fails its check.
standstills() {
    shows pfc-storm
    lost bystander-goes-on pfc-storm --set switches.watchdog.on=false
    checked "a PFC storm, and the watchdog"
    shows deadlock-ring
    lost deadlocks deadlock-ring --set topology.clockwise=false
    lost deadlocks deadlock-ring --set 'switches.pfc.priorities=[]'
    shows deadlock-cured
    lost ends deadlock-cured --set topology.clockwise=true
    checked "a circle of paused queues, and ways without one"
    shows livelock
    lost livelock livelock --set wire.transport.loss_recovery=go-back-n
    checked "go-back-0 never ends where go-back-N does"
}

paths_and_shares() {
    shows ecmp-polarisation
    lost core-evenly-used ecmp-polarisation --set topology.one_hash=true
    checked "polarised hashes"
    shows ets-isolation
    lost training-has-its-share ets-isolation --set 'switches.classes=[]'
    checked "weights of storage and training"
    shows link-flap
    lost ends link-flap --set wire.transport.timeout=0
    checked "a flapping link"
}

jobs_of_training() {
    shows sweet-spot
    shows sweet-spot --set topology.host_rate=100G
    lost training-step sweet-spot --set topology.host_rate=10G
    checked "a job on 10G, 25G and 100G"
    shows ring-allreduce-16
    lost closed-form ring-allreduce-16 --set topology.spine_rate=10G
    shows ring-allreduce-64
    lost closed-form ring-allreduce-64 --set topology.spine_rate=10G
    checked "rings of 16 and 64 cards take the time of the closed form"
}

repetitions() {
    local run seed
    for run in a-1 b-1 c-2; do
        seed=${run#*-}
        expect 0 60 "$VG810" run "$top/scenarios/victim-flow.toml" --seed "$seed" --out "$scratch/${run%-*}"
    done
    same_results "$scratch/a" "$scratch/b"
    ! cmp -s "$scratch/a/metrics.csv" "$scratch/c/metrics.csv" || fail "two seeds, one result"
    checked "one seed, one result; another seed, another"
}

# refused WHERE COLUMN REASON SED [LINES] : victim-flow, changed so and with LINES added, is refused for the reason at the
# last line that contains WHERE, in that column.
refused() {
    {
        sed "$4" "$top/scenarios/victim-flow.toml"
        printf '%b' "${5-}"
    } >"$scratch/bad.toml"
    expect 2 20 "$VG810" run "$scratch/bad.toml" --out "$scratch/out"
    tells "$scratch/bad.toml:$(grep -nF -- "$1" "$scratch/bad.toml" | tail -n 1 | cut -d: -f1):$2: $3"
    [ ! -e "$scratch/out" ] || fail "a refused run made its folder"
}

impossible() {
    local twins='\n[[host]]\nname = "x"\nkind = "wire"\nKEY\n[[host]]\nname = "y"\nkind = "wire"\nKEY\n'
    refused 'headroom = ' 12 'buffer.headroom = 13000000 leaves nothing of buffer.total = 12000000' 's/^headroom = .*/headroom = "13MB"/'
    refused '[[switches.marking]]' 1 'marking.kmax = 10000 is below marking.kmin = 20000' 's/^kmax = .*/kmax = "10KB"/'
    refused 'path_mtu = ' 12 "'path_mtu' is 0B, out of range" 's/^cc = "dcqcn"$/&\n[wire.transport]\npath_mtu = "0B"/'
    refused 'sizes = ' 9 "there is no distribution and no file 'web-serch', did you mean 'web-search'?" \
        's/^kind = "incast"/kind = "poisson"\nsizes = "web-serch"/'
    refused 'spins = ' 1 "unknown key 'spins' in topology, did you mean 'spines'?" 's/^spines = 1/spins = 1/'
    refused 'spine_rate = ' 14 "'spine_rate' must be a rate" 's/^spine_rate = .*/spine_rate = "0G"/'
    refused 'to = "a9"' 6 "there is no host 'a9', did you mean 'a0'?" 's/^to = "a0"/to = "a9"/'
    refused 'addresses = ' 14 "10.0.9.9 is taken already" '' "${twins//KEY/addresses = [\"10.0.9.9/16\"]}"
    refused 'macs = ' 9 "02:00:00:00:09:09 is taken already" '' "${twins//KEY/macs = [\"02:00:00:00:09:09\"]}"
    checked "impossible set-ups are refused with place and reason"
}

congestion
own_algorithm
standstills
paths_and_shares
jobs_of_training
repetitions
impossible
