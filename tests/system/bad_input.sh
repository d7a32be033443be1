#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What cannot be run is refused before anything starts, with one message that names the place and the fix.
# timeout: 300
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# scenario FILE : a scenario of one guest on stdout's way to FILE; more keys come from stdin.
scenario() {
    {
        printf 'name = "bad-input"\n[[host]]\nname = "solo"\nconfigure = false\n'
        cat
    } >"$1"
}

# refused TEXT COMMAND... : exit status 2 within seconds, says TEXT, and leaves nothing behind.
refused() {
    local text=$1
    shift
    expect 2 20 "$@" --out "$scratch/out"
    tells "$text"
    [ ! -e "$scratch/out" ] || fail "a refused run made its folder"
    no_traces
}

malformed_files() {
    local file=$scratch/bad.toml
    printf 'name = "x"\nmode = lockstep\n' >"$file"
    refused "$file:2:8: " "$VG810" run "$file"
    printf 'name = "x"\n[topology\nkind = "switch"\n' >"$file"
    refused "$file:2:10: " "$VG810" run "$file"
    printf '\0\1\2garbage' >"$file"
    refused "$file:1:1: " "$VG810" run "$file"
    checked "broken TOML: file, line and column"

    printf 'name = "x"\n[[host]]\nname = "solo"\n  memmory = "1GiB"\n' >"$file"
    refused "$file:4:3: unknown key 'memmory' in host[0], did you mean 'memory'?" "$VG810" run "$file"
    printf 'name = "x"\n[[host]]\nname = "solo"\n[host.card.fault]\nlink_falt = true\n' >"$file"
    refused "$file:5:1: unknown key 'link_falt' in host[0].card.fault, did you mean 'link_fault'?" "$VG810" run "$file"
    printf 'name = "x"\nmode = "lockstp"\n[[host]]\nname = "solo"\n' >"$file"
    refused "$file:2:8: 'mode' cannot be \"lockstp\", did you mean 'lockstep'?" "$VG810" run "$file"
    scenario "$file" <<'TOML'
[[step]]
name = "a"
on = "sola"
run = "true"
TOML
    refused "$file:7:6: there is no host 'sola', did you mean 'solo'?" "$VG810" run "$file"
    printf 'name = "x"\n[[host]]\nname = "solo"\nmemory = "1kiB"\nleaf = "0"\n' >"$file"
    refused "$file:4:10: " "$VG810" run "$file"
    tells "$file:5:8: " # all that is wrong is said at once
    checked "wrong keys, words, values: place and nearest valid one"
}

absent_scenarios() {
    refused "there is no scenario 'first-lihgt', did you mean 'first-light'?" "$VG810" run first-lihgt
    refused "there is no scenario '/nonexistent/x.toml'" "$VG810" run /nonexistent/x.toml
    refused "there is no scenario '$scratch'" "$VG810" run "$scratch"
    checked "unknown scenario"
}

bad_options() {
    refused "'run' has no option '--sede', did you mean '--seed'?" "$VG810" run first-light --sede 3
    refused "--set topology.leafs=3: unknown key 'leafs' in topology, did you mean 'leaves'?" \
        "$VG810" run first-light --set topology.leafs=3
    refused "--seed wants a number from 0 to 4294967295, not 'x'" "$VG810" run first-light --seed x
    checked "wrong options and settings"
}

tap_needs_paced() {
    printf 'name = "x"\n[[host]]\nname = "solo"\n[[host]]\nname = "machine"\nkind = "tap"\n' >"$scratch/tap.toml"
    refused "$scratch/tap.toml:6:8: a tap host is this machine's own kernel, whose time cannot be held: it needs mode = \"paced\"" \
        "$VG810" run "$scratch/tap.toml"
    checked "a tap host in lockstep is refused with the reason"
}

# A folder with something in it that is not a run's is not written to.
foreign_folder() {
    mkdir "$scratch/mine"
    echo precious >"$scratch/mine/file"
    scenario "$scratch/solo.toml" </dev/null
    expect 3 60 "$VG810" run "$scratch/solo.toml" --out "$scratch/mine"
    tells "$scratch/mine"
    [ "$(ls "$scratch/mine")" = file ] || fail "something was written to a folder of other files"
    expect 3 60 "$VG810" run "$scratch/solo.toml" --out /proc/nonexistent
    tells "choose another place with --out DIR"
    no_traces
    checked "a folder that cannot be used"
}

malformed_files
absent_scenarios
bad_options
tap_needs_paced
foreign_folder
