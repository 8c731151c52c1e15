#!/usr/bin/env python3
"""A program with slow I/O, to try iotrace on: each rank writes its file record by
record, with a system call for each. With --buffered it writes the same bytes in one.

    iotrace run -n job -- mpirun -np 2 python3 small-writes.py [--buffered] PREFIX
"""
import os
import sys

RECORDS, BYTES = 200000, 100


def main():
    *options, prefix = sys.argv[1:]
    records = [b"%-*d\n" % (BYTES - 1, number) for number in range(RECORDS)]
    if "--buffered" in options:
        records = [b"".join(records)]
    fd = os.open("%s.%d" % (prefix, os.getpid()), os.O_WRONLY | os.O_CREAT, 0o666)
    for record in records:
        os.write(fd, record)
    os.close(fd)


if __name__ == "__main__":
    main()
