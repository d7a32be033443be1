#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The driver's life and a few reloads, on real guests: what a customer's administrator does to a network card.
# timeout: 900
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

expect 0 700 "$VG810" run "$top/scenarios/driver-life.toml" --out "$scratch/life"
checked "settings, resets, suspend, unbind and reload"

expect 0 300 "$VG810" run "$top/scenarios/driver-reload.toml" --out "$scratch/reload"
checked "unloaded and loaded 8 times: $(grep -h 'memory lost' "$scratch"/reload/steps/*reload*)"
