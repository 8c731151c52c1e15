#!/bin/sh
# limit: 300
# A run that is ended from outside leaves no files.
. "${top_srcdir:?}/tests/e2e/lib.sh"

dir=$tmp/dir
mkdir "$dir"

# Ends a run, by a signal to its launcher, once it has made files.
end_run() {
    "$PYTHON" "$RUN" --np 2 --limit 60 blocktransfer 1M --repeat=1000000 --dir="$dir" \
        >"$out" 2>"$err" &
    launched=$!
    tries=0
    while empty "$dir" && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    ok "$1: it has made files" [ $tries -lt 300 ]
    kill -s "$1" $launched
    status=0
    wait $launched || status=$?
}

for signal in TERM INT; do
    rm -f "$dir"/*
    end_run $signal
    ok "$signal: the run ended, and not well" failed
    ok "$signal: no files are left" empty "$dir"
done

finish
