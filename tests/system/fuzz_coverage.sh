#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The card's fuzz test reaches what it is to reach: a million operations take more than 90% of the branches of the
# decoder and ring code. Builds the preset `coverage`.
# timeout: 1500
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1

cmake --preset coverage >/dev/null
ninja -C build/coverage card_fuzz
find build/coverage -name '*.gcda' -delete # of an earlier run
timeout 600 build/coverage/tests/fuzz/card_fuzz --operations 1000000
python3 tests/fuzz/branches.py build/coverage --least 90
