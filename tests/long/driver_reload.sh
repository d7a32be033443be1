#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The driver unloaded and loaded 100 times: no memory, mapping or interrupt is left, and traffic passes afterwards.
# timeout: 3000
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

expect 0 2900 "$VG810" run "$top/scenarios/driver-reload.toml" --set host.left.kernel_arguments=loops=100 --out "$scratch/reload"
grep -q '^rounds 100,' "$scratch"/reload/steps/*reload* || fail "these were not 100 rounds"
checked "unloaded and loaded 100 times: $(grep -h 'memory lost' "$scratch"/reload/steps/*reload*)"
