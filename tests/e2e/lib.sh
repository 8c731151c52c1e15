# shellcheck shell=sh
# TAP for shell scripts. A test begins with
#     #!/bin/sh
#     # limit: 300
#     . "${top_srcdir:?}/tests/e2e/lib.sh"
# and ends with "finish". It is started by tests/run, which gives it a directory of
# its own; $tmp is in it and removed at the end.

set -u
points=0
failures=0
tmp=$(mktemp -d "${LEADLINE_TMP:-${TMPDIR:-/tmp}}/e2e.XXXXXX") || exit 1
out=$tmp/.out err=$tmp/.err status=0
: >"$out"
: >"$err"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# ok NAME COMMAND...: a point that holds if the command succeeds.
ok() {
    name=$1
    shift
    points=$((points + 1))
    if "$@"; then
        echo "ok $points - $name"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $points - $name"
    explain
}

# What the last command did, for the log.
explain() {
    {
        echo "# exit status $status"
        sed -n 's/^/# out: /; 1,30p' "$out"
        sed -n 's/^/# err: /; 1,30p' "$err"
    } >&2
}

# skip NAME REASON
skip() {
    points=$((points + 1))
    echo "ok $points - $1 # SKIP $2"
}

# run_np N COMMAND...: on N ranks, for at most $limit seconds. Sets status (124: the
# limit passed), and fills the files $out and $err.
limit=100
run_np() {
    np=$1
    shift
    status=0
    "$PYTHON" "$RUN" --np "$np" --limit "$limit" "$@" >"$out" 2>"$err" || status=$?
}

# run COMMAND...: without a launcher.
run() {
    status=0
    "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# ---- conditions, for ok ---------------------------------------------------------

status_is() { [ "$status" = "$1" ]; }
failed() { [ "$status" != 0 ] && [ "$status" != 124 ]; }
said() { grep -qE -e "$1" "$out"; }
complained() { grep -qE -e "$1" "$err"; }
empty() { [ -z "$(ls -A "$1")" ]; }

# One line of ours in what was said on stderr: launchers add lines of their own.
one_sentence() { [ "$(grep -c "^$1: " "$err")" = 1 ]; }

finish() {
    echo "1..$points"
    [ "$points" -gt 0 ] && [ "$failures" = 0 ]
    exit
}
