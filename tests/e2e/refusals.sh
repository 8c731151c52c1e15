#!/bin/sh
# limit: 600
# Bad input and broken surroundings: one sentence, the right exit status, no hang, and
# no files left - for each program, on more than one rank.
. "${top_srcdir:?}/tests/e2e/lib.sh"

dir=$tmp/dir
mkdir "$dir"

# refused STATUS PATTERN WHAT PROGRAM ARGUMENTS...
refused() {
    expected=$1 pattern=$2 what="$4: $3"
    program=$4
    shift 3
    run_np 2 "$@" --dir="$dir"
    ok "$what: refused" failed
    ok "$what: the sentence says why" complained "^$program: .*$pattern"
    ok "$what: said once" one_sentence "$program"
    ok "$what: no files left" empty "$dir"
    # Open MPI's launcher passes the status on, MPICH's a combination of them
    [ "$MPI_FLAVOUR" != openmpi ] || ok "$what: exit status $expected" status_is "$expected"
}

# Both programs read the same table.
for program in blocktransfer madbench; do
    sizes=8M
    [ $program = blocktransfer ] || sizes="64 4 --io-only"
    # shellcheck disable=SC2086  # $sizes is a list of words
    {
        refused 2 "unknown option" "an unknown option" $program $sizes --nonsense
        refused 2 "POSIX" "an unknown engine" $program $sizes --iomethod=nonsense
        refused 2 "repeat" "a number that is none" $program $sizes --repeat=ten
        refused 2 "repeat" "zero repetitions" $program $sizes --repeat=0
        refused 2 "collective" "collective POSIX" $program $sizes --collective
        refused 1 "injected" "an I/O error" $program $sizes \
            --iomethod=null:fail_every=5 --no-verify
        refused 1 "short transfer" "a short transfer" $program $sizes \
            --iomethod=null:short_every=5 --no-verify
    }
done
refused 2 "NBIN" "a number missing" madbench 64
refused 2 "NPIX" "zero pixels" madbench 0 4
refused 2 "NPIX" "a number beyond 2^63" madbench 99999999999999999999 4

run_np 2 blocktransfer 64k --dir="$tmp/none"
ok "a directory that is not there: refused" failed
ok "a directory that is not there: named" complained "$tmp/none"
ok "a directory that is not there: said once" one_sentence blocktransfer

# A launcher of the other MPI starts N worlds of one rank.
variable=PMI_SIZE
[ "$MPI_FLAVOUR" = openmpi ] || variable=OMPI_COMM_WORLD_SIZE
for program in "blocktransfer 64k" "madbench 64 4 --io-only"; do
    # shellcheck disable=SC2086  # a list of words
    run env $variable=4 $program --dir="$dir"
    ok "${program%% *}: alone where four were promised: refused" status_is 2
    ok "${program%% *}: alone where four were promised: says so" complained "alone"
    ok "${program%% *}: alone where four were promised: no files" empty "$dir"
    # shellcheck disable=SC2086
    run env $variable=4 $program --dry-run --dir="$dir"
    ok "${program%% *}: --dry-run does not mind" status_is 0
    run env $variable=4 "${program%% *}" --help
    ok "${program%% *}: nor does --help" status_is 0
done

finish
