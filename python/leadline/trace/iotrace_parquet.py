"""Writes all events of a run as Parquet; started by "iotrace export --to=parquet".

It reads them in batches from "iotrace export --to=csv". Needs pyarrow.
"""
import argparse
import os
import subprocess
import sys

if not __package__:  # "iotrace export" starts it as a script
    sys.path.insert(0, os.path.abspath(os.path.join(__file__, "..", "..", "..")))

from leadline.base import output  # noqa: E402

BLOCK = 16 << 20    # bytes of CSV that become one batch

TIMES = ("start_s", "duration_s")    # with nine digits behind the point
TEXTS = ("operation", "class", "file") + TIMES
COLUMNS = ("sequence rank pid thread level operation class file fd offset request "
           "result bytes start_s duration_s").split()


def whole(batch):
    """Converts times to integer nanoseconds: seconds since 1970 have more digits than a
    double."""
    from pyarrow import RecordBatch, compute, int64
    columns = [compute.cast(compute.replace_substring(column, ".", ""), int64())
               if name in TIMES else column
               for name, column in zip(batch.schema.names, batch.columns)]
    names = [name[:-1] + "ns" if name in TIMES else name for name in batch.schema.names]
    return RecordBatch.from_arrays(columns, names=names)


def convert(stream, sink):
    from pyarrow import csv, int64, parquet, schema, string
    kinds = {name: string() if name in TEXTS else int64() for name in COLUMNS}
    written = schema([(name[:-1] + "ns", int64()) if name in TIMES
                      else (name, kinds[name]) for name in COLUMNS])
    reader = csv.open_csv(
        stream, read_options=csv.ReadOptions(block_size=BLOCK, use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=kinds, check_utf8=False,
                                           strings_can_be_null=False))
    with parquet.ParquetWriter(sink, written) as out:
        for batch in reader:
            out.write_batch(whole(batch))


class Incomplete(Exception):
    pass


def export(args):
    """Exports the events; an existing file is replaced only by all of them."""
    with output.replacing(args.out) as sink:
        child = subprocess.Popen([args.program, "export", "--to=csv", "--", args.run],
                                 stdout=subprocess.PIPE)
        try:
            convert(child.stdout, sink)
            status = child.wait()
        except BaseException:
            child.kill()
            child.wait()
            raise
        if status:
            raise Incomplete("not all events could be listed (exit status %d); "
                             "--to=csv writes those that can" % status)


def main():
    parser = argparse.ArgumentParser(prog="iotrace export")
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("run")
    args = parser.parse_args()
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        sys.stderr.write("iotrace export: Parquet needs pyarrow, which %s does not "
                         "find (%s -m pip install pyarrow, or PYTHON=PROGRAM for "
                         "another Python)\n" % (sys.executable, sys.executable))
        return 1
    try:
        export(args)
    except (OSError, pyarrow.ArrowException, Incomplete) as why:
        sys.stderr.write("iotrace export: %s: cannot be written: %s\n" % (
            args.out, getattr(why, "strerror", None) or str(why).splitlines()[0]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
