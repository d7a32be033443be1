# SPDX-License-Identifier: Apache-2.0
# Shared by the launcher's scripts; sourced, not run. Expects `set -euo pipefail`.
# shellcheck shell=bash

# Where everything that can be made again is kept.
vg810_cache=${VG810_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vg810}

# A command that fails unexpectedly says where, instead of ending the script without a word; status 3 is die's, which
# has spoken already.
set -o errtrace
shopt -s inherit_errexit
trap 'unexpected "$?" "$LINENO" "$BASH_COMMAND"' ERR

unexpected() {
    if [ "$1" != 3 ]; then printf 'vg810: %s, line %s: "%s" failed with status %s\n' "$0" "$2" "$3" "$1" >&2; fi
}

say() { printf 'vg810: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 3
}

# with_lock NAME COMMAND... : one at a time per NAME, across processes; waits at most 20 minutes.
with_lock() {
    local name=$1 lock
    shift
    mkdir -p "$vg810_cache"
    exec {lock}>"$vg810_cache/$name.lock"
    if ! flock -n "$lock"; then
        say "waiting for another vg810 that is busy with the $name"
        flock -w 1200 "$lock" || die "another vg810 has held $vg810_cache/$name.lock for 20 minutes; end it and try again"
    fi
    "$@"
    exec {lock}>&-
}

# hash_of FILE... : one hash over the contents of files.
hash_of() { cat -- "$@" | sha256sum | cut -c1-16; }

# hash_of_tree FOLDER : one hash over the names and contents of a folder's files (not of what a build left there).
hash_of_tree() {
    (cd "$1" && find . -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod*' ! -name '.*' ! -name Module.symvers \
        ! -name modules.order -print0 | LC_ALL=C sort -z | xargs -0r sha256sum) | sha256sum | cut -c1-16
}

# forget_old PATTERN : of the cache's entries whose names match, removes those that are neither among the ten newest nor
# younger than a day. Whoever uses an entry touches it.
forget_old() {
    local entry
    # shellcheck disable=SC2012,SC2086 # our own names; the pattern is meant to expand
    (cd "$vg810_cache" && ls -td $1 2>/dev/null | tail -n +11) | while read -r entry; do
        find "$vg810_cache/$entry" -maxdepth 0 -mtime +0 -exec rm -rf {} +
    done
}

# run_from ROOT PROGRAM [LOADER-OPTION...] -- ARGUMENT... : a program of the root, through the root's own loader.
run_from() {
    local root=$1 program=$2 options=() libraries=$1/usr/lib/x86_64-linux-gnu
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    timeout 120 "$root/usr/lib64/ld-linux-x86-64.so.2" "${options[@]}" --library-path "$libraries:$libraries/pulseaudio" \
        "$root/usr/bin/$program" "$@"
}

os_field() { # ID, VERSION_CODENAME, ... of this machine
    (
        # shellcheck disable=SC1091
        . /etc/os-release
        eval "printf '%s' \"\${$1:-}\""
    )
}

# debian_mirror [SUFFIX] : the mirror that this machine's own apt uses for its release (SUFFIX -security: for its
# security updates), or the user's VG810_MIRROR (VG810_SECURITY_MIRROR); nothing when the machine is not Debian.
debian_mirror() {
    local suffix=${1:-} wanted
    if [ -n "${VG810_MIRROR:-}" ]; then
        if [ -z "$suffix" ]; then printf '%s' "$VG810_MIRROR"; else printf '%s' "${VG810_SECURITY_MIRROR:-}"; fi
        return
    fi
    [ "$(os_field ID)" = debian ] || return 0
    wanted=$(os_field VERSION_CODENAME)$suffix
    # A third party may serve the same release name; Debian's own archive is the one whose path says so.
    # shellcheck disable=SC2016 # apt-get expands these
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v release="$wanted" '$1 == release && $2 == "main" && $3 ~ /^(https?|file|copy):/ {
            if ($3 ~ /\/debian(-security)?\/?$/) { best = $3; exit }
            if (other == "") other = $3
        }
        END { print (best != "" ? best : other) }'
}

# private_apt FOLDER "LINES" TOOL ARGUMENT... : apt-get or apt-cache with sources of its own; the machine's are left alone.
private_apt() {
    local folder=$1 lines=$2 tool=$3
    shift 3
    mkdir -p "$folder/lists/partial" "$folder/archives/partial"
    printf '%s\n' "$lines" >"$folder/sources.list"
    timeout 600 "$tool" -qq \
        -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
        -o Dir::State="$folder" -o Dir::State::lists="$folder/lists" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$folder" -o Dir::Cache::archives="$folder/archives" \
        -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Acquire::Retries=3 "$@"
}

# shellcheck disable=SC2034 # for those who source this
debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# in_root ROOT COMMAND... : runs COMMAND inside ROOT, as root or (in a user namespace) as anyone.
in_root() {
    local root=$1 enter
    shift
    # shellcheck disable=SC2016 # expanded by the inner shell
    enter='root=$1; shift
        mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" || exit 125
        exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C "$@"'
    case $(in_root_method "$root") in
    mount) unshare --mount sh -c "$enter" sh "$root" "$@" ;;
    user) unshare --map-root-user --mount --pid --fork sh -c "$enter" sh "$root" "$@" ;;
    chroot) chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C "$@" ;;
    proot) proot -r "$root" -b /dev -b /proc -w / /usr/bin/env -i PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C "$@" ;;
    *) die "cannot run programs inside $root: unprivileged user namespaces are off here." \
        "Either run vg810 as root, or 'apt-get install proot', or allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0)" ;;
    esac
}

# Which way into a root works here: mount, user, chroot, proot or none.
in_root_method() {
    local root=$1 probe
    # shellcheck disable=SC2016
    probe='mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && chroot "$1" /usr/bin/true'
    if [ "$(id -u)" = 0 ] && unshare --mount sh -c "$probe" sh "$root" 2>/dev/null; then
        echo mount
    elif unshare --map-root-user --mount --pid --fork sh -c "$probe" sh "$root" 2>/dev/null; then
        echo user
    elif [ "$(id -u)" = 0 ] && chroot "$root" /usr/bin/true 2>/dev/null; then
        [ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
        echo chroot
    elif command -v proot >/dev/null && proot -r "$root" /usr/bin/true 2>/dev/null; then
        echo proot
    else
        echo none
    fi
}
