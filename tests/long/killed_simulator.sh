#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A simulator killed without warning takes its QEMUs along, and the next run works.
# timeout: 900
set -euo pipefail
exec bash "$(dirname "${BASH_SOURCE[0]}")/../system/broken_runs.sh" killed_simulator
