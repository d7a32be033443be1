#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A ring all-reduce on 1024 cards takes the time of its closed form, and less than five minutes on one core.
# timeout: 900
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# CPU time, not wall time: other tests may run beside.
before=$(awk '{print $16 + $17}' /proc/$$/stat)
expect 0 900 "$VG810" run "$top/scenarios/ring-allreduce-1024.toml" --out "$scratch/ring"
after=$(awk '{print $16 + $17}' /proc/$$/stat)
seconds=$(((after - before) / $(getconf CLK_TCK)))
[ "$seconds" -lt 300 ] || fail "took $seconds s of CPU time"
checked "64 MiB on 1024 cards: $(json "$scratch/ring/summary.json" 'x["figures"]["iteration.ring.max"]') us, $seconds s of CPU time"
