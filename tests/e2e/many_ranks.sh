#!/bin/sh
# limit: 900
# 64 ranks, however few cores there are. tests/run makes them give way to each other.
. "${top_srcdir:?}/tests/e2e/lib.sh"

dir=$tmp/dir
mkdir "$dir"
limit=280

works() {
    ok "$1: exit status 0" status_is 0
    ok "$1: no files left" empty "$dir"
}

run_np 64 madbench 64 2 --io-only --bwexp=0.5 --filetype=shared --iomethod=mpi \
    --dir="$dir"
works "I/O mode, one shared file"

if [ "$HAVE_SCALAPACK" = yes ]; then
    run_np 64 madbench 64 2 --dir="$dir"
    works "full mode, a file per rank"
    ok "full mode: the answer is printed" said 'dC\[0\] = '
else
    skip "full mode" "built without ScaLAPACK"
fi

finish
