#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs that cannot go on: QEMU absent, unfit or killed, a guest that panics or never boots, a full disk, Ctrl-C, a killed
# simulator. Each ends by itself, in time, with the documented exit status and one message that names the fix, keeps what
# it had written, and leaves no process, socket or folder behind.
# timeout: 1800
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

out=$scratch/out
guest=$scratch/guest.json

# A guest without the card's driver; ARGUMENT... are lines of its [[host]]; steps come from stdin.
solo() {
    {
        printf 'name = "broken"\n[[host]]\nname = "solo"\nconfigure = false\ndriver = false\n'
        printf '%s\n' "$@"
        cat
    } >"$scratch/solo.toml"
}

# Two guests that send each other all they can, for ever; the step "begin" tells that they do.
busy_pair() {
    cat >"$scratch/pair.toml" <<'TOML'
name = "busy-pair"
[topology]
kind = "back-to-back"
[[host]]
name = "left"
[[host]]
name = "right"
[[capture]]
link = "left.0"
file = "left.pcapng"
[[step]]
name = "flood"
on = "right"
run = "ping -q -f 10.0.0.1"
background = true
[[step]]
name = "begin"
on = "left"
run = "ping -c 3 -i 0.001 10.0.0.2 && echo begun"
[[step]]
name = "for-ever"
on = "left"
run = "ping -q -f 10.0.0.2"
timeout = "500s"
TOML
}

new_out() { rm -rf "$out"; }

# kept FILE... : the run left these, and none is empty but the console of a guest that had nothing to complain about.
kept() {
    local file
    for file in scenario.toml "$@"; do
        [ -s "$out/$file" ] || [[ $file = console.* && -e $out/$file ]] || fail "$file was not kept: $(ls -R "$out")"
    done
}

# ended OUTCOME : what the summary and JUnit say is this.
ended() {
    kept summary.json checks.junit.xml
    local outcome
    outcome=$(json "$out/summary.json" 'x["outcome"]')
    [ "$outcome" = "$1" ] || fail "summary.json says $outcome, expected $1"
    [ -n "$(json "$out/summary.json" 'x["reason"]')" ] || fail "summary.json gives no reason"
    python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$out/checks.junit.xml"
}

# guest_files STATEMENT : what guests boot from, as the launcher noted it, changed by Python that knows it as x; to $guest.
guest_files() {
    python3 -c 'import json, sys
x = json.load(open(sys.argv[1])); exec(sys.argv[2]); json.dump(x, open(sys.argv[3], "w"))' "$launcher_json" "$1" "$guest"
}

absent_qemu() {
    solo </dev/null
    expect 3 100 "$VG810" run "$scratch/solo.toml" --guest-json "$scratch/none.json" --out "$out"
    tells "$scratch/none.json"
    tells "./vg810"
    guest_files 'x["qemu"] = ["/nonexistent/qemu-system-x86_64"]'
    expect 3 100 "$VG810" run "$scratch/solo.toml" --guest-json "$guest" --out "$out"
    tells "cannot run /nonexistent/qemu-system-x86_64: No such file or directory; ./vg810 installs QEMU"
    ended aborted
    no_traces
    checked "QEMU is absent"
}

# A QEMU that ends at once, with words of its own.
refusing_qemu() {
    solo </dev/null
    new_out
    guest_files 'x["initramfs"] = "/nonexistent/initramfs"'
    expect 3 200 "$VG810" run "$scratch/solo.toml" --guest-json "$guest" --out "$out"
    tells "/nonexistent/initramfs"
    ended aborted
    kept qemu.solo.log
    no_traces
    checked "QEMU refuses its arguments"
}

# RAM that the card could not reach.
private_ram() {
    cat >"$scratch/qemu" <<'SHELL'
#!/bin/bash
# Takes QEMU's own words, but for the sharing of RAM.
exec "${@//share=on/share=off}"
SHELL
    chmod +x "$scratch/qemu"
    solo </dev/null
    new_out
    guest_files 'x["qemu"] = ["'"$scratch/qemu"'"] + x["qemu"]'
    expect 3 200 "$VG810" run "$scratch/solo.toml" --guest-json "$guest" --out "$out"
    tells "share=on"
    ended aborted
    no_traces
    checked "RAM is not shared"
}

# A QEMU without a function that the plugin needs: the plugin, built to need one that no QEMU has.
missing_symbol() {
    sed 's/{#function, &qemu.function}/{"vg810_absent_" #function, \&qemu.function}/' "$top/qemu-device/sync_plugin.c" \
        >"$scratch/plugin.c"
    grep -q vg810_absent_ "$scratch/plugin.c" || fail "the plugin's imports look different now: adapt this test"
    cc -shared -fPIC -I "$top/qemu-device" -o "$scratch/plugin.so" "$scratch/plugin.c" -ldl -pthread
    solo </dev/null
    new_out
    guest_files 'x["plugin"] = "'"$scratch/plugin.so"'"'
    expect 3 200 "$VG810" run "$scratch/solo.toml" --guest-json "$guest" --out "$out"
    tells "does not export 'vg810_absent_timer_init_full'"
    tells "version 10.1 or newer"
    ended aborted
    guest_files 'x["plugin"] = "/nonexistent/vg810-sync.so"'
    new_out
    expect 3 200 "$VG810" run "$scratch/solo.toml" --guest-json "$guest" --out "$out"
    tells "/nonexistent/vg810-sync.so"
    no_traces
    checked "the time-sync plugin lacks a symbol, or is absent"
}

long_socket_path() {
    local long=$scratch/tmp/$(printf 'x%.0s' {1..90})
    mkdir "$long"
    solo </dev/null
    new_out
    expect 3 200 env TMPDIR="$long" "$VG810" run "$scratch/solo.toml" --out "$out"
    tells "TMPDIR"
    [ -z "$(ls -A "$long")" ] || fail "left in TMPDIR: $(ls -A "$long")"
    rmdir "$long"
    no_traces
    checked "a socket's path is too long"
}

panicking_guest() {
    solo <<'TOML'
[[step]]
name = "first"
on = "solo"
run = "echo still alive"
[[step]]
name = "crash"
on = "solo"
run = "echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger"
[[step]]
name = "later"
on = "solo"
run = "true"
TOML
    new_out
    expect 1 300 "$VG810" run "$scratch/solo.toml" --out "$out"
    tells "Kernel panic - not syncing: sysrq triggered crash"
    tells_not "does not answer" # what follows from the panic is not the reason
    tells "console.solo.log"
    ended failed
    kept metrics.csv
    grep -q 'sysrq triggered crash' "$out/console.solo.log" || fail "the guest's last words were not kept"
    [ "$(cat "$out"/steps/*-first.solo.txt)" = "still alive" ] || fail "the first step's output was not kept"
    [ "$(json "$out/summary.json" '[s["skipped"] for s in x["steps"] if s["name"] == "later"]')" = "[True]" ] ||
        fail "the step behind the panic is not marked as skipped"
    no_traces
    checked "the guest panics"
}

guest_that_never_boots() {
    # Without a first process: the kernel gives up.
    solo 'kernel_arguments = "rdinit=/nonexistent init=/nonexistent"' </dev/null
    new_out
    expect 1 300 "$VG810" run "$scratch/solo.toml" --out "$out"
    tells "Kernel panic"
    tells "console.solo.log"
    ended failed
    # With a shell that waits for ever instead of the agent: the time is over.
    solo 'kernel_arguments = "guest.agent=0"' </dev/null
    new_out
    expect 1 300 "$VG810" run "$scratch/solo.toml" --set boot_timeout=20s --out "$out"
    tells "guest solo did not start its agent within 20s of its time; console.solo.log shows how far it came"
    ended failed
    kept console.solo.log
    no_traces
    checked "the guest never boots"
}

# The disk runs full while the guests write to it. In a mount namespace of its own, so nothing is left mounted.
full_disk() {
    local enter=(unshare --mount)
    [ "$(id -u)" = 0 ] || enter+=(--map-root-user)
    busy_pair
    new_out
    mkdir "$out"
    # shellcheck disable=SC2016 # expanded inside
    expect 3 400 "${enter[@]}" bash -c '
        mkdir "$2/disk" && mount -t tmpfs -o size=4M none "$2/disk" || exit 99
        "$1" run "$2/pair.toml" --out "$2/disk/run"
        status=$?
        cp -r "$2/disk/run/." "$3"
        exit $status' bash "$VG810" "$scratch" "$out"
    tells "No space left on device; free some space, or choose another place with --out DIR"
    kept console.left.log console.right.log left.pcapng
    no_traces
    checked "the disk is full"
}

# begin_pair : starts the busy pair and waits until they talk; sets $pid, the simulator's.
begun() { [ -n "$(find "$out/steps" -name '*-begin.left.txt' 2>/dev/null)" ] || ! kill -0 "$pid" 2>/dev/null; }
begin_pair() {
    busy_pair
    new_out
    start "$VG810" run "$scratch/pair.toml" --out "$out"
    until_true 400 begun || fail "the guests did not get to talk within 400 s: $(cat "$scratch/told")"
    kill -0 "$pid" 2>/dev/null || fail "the run ended too early: $(cat "$scratch/told")"
}

# qemu_of NAME : the QEMU that the run started for that guest.
qemu_of() { pgrep -P "$pid" -f -- "-name $1 " || fail "the run has no QEMU for $1"; }

killed_qemu() {
    begin_pair
    kill -KILL "$(qemu_of right)"
    ends_within 20 3
    tells "guest 'right': QEMU was killed by signal 9 (Killed)"
    ended aborted
    kept console.left.log console.right.log metrics.csv left.pcapng
    no_traces
    checked "QEMU is killed while both guests are busy"
}

# What a terminal does on Ctrl-C: the signal goes to the whole foreground process group.
interrupted() {
    stopped_by INT Interrupt
    stopped_by TERM Terminated
}
stopped_by() {
    local signal=$1 words=$2
    begin_pair
    kill -"$signal" -- "-$pid"
    ends_within 20 130
    tells "interrupted: $words"
    ended interrupted
    kept console.left.log console.right.log metrics.csv left.pcapng
    no_traces
    checked "the run gets $words"
}

# Nobody is left who could clean up: QEMU ends by itself, and what was written stays.
killed_simulator() {
    begin_pair
    qemu_of left >/dev/null
    qemu_of right >/dev/null
    kill -KILL "$pid"
    ends_within 10 137
    gone_within 10 || fail "QEMU outlives its simulator: $(pgrep -af "$scratch")"
    kept console.left.log console.right.log
    # The next run works in the same place.
    rm -rf "${TMPDIR:?}"/*
    solo </dev/null
    expect 0 300 "$VG810" run "$scratch/solo.toml" --out "$out"
    no_traces
    checked "the simulator is killed; the next run works"
}

# A plain run of the solo guest: it passes, so what fails below fails for its own reason. And the launcher's note of what
# guests boot from is made.
solo <<'TOML'
[[step]]
name = "first"
on = "solo"
run = "true"
TOML
expect 0 600 "$VG810" run "$scratch/solo.toml" --out "$out"
no_traces
launcher_json=$(cat "$top/build/release/.vg810-guest")
checked "the unbroken run"

# Those named on the command line, or all but killed_simulator (tests/long).
[ $# -gt 0 ] || set -- absent_qemu refusing_qemu private_ram missing_symbol long_socket_path panicking_guest \
    guest_that_never_boots full_disk killed_qemu interrupted
for case; do "$case"; done
