"""Writes all events of a run as Parquet; started by "iotrace export --to=parquet".

It takes them from "iotrace export --to=csv", some at a time. Needs pyarrow.
"""
import argparse
import os
import subprocess
import sys

BLOCK = 16 << 20    # bytes of CSV that become one batch

TIMES = ("start_s", "duration_s")    # with nine digits behind the point
TEXTS = ("operation", "class", "file") + TIMES
COLUMNS = ("sequence rank pid thread level operation class file fd offset request "
           "result bytes start_s duration_s").split()


def whole(batch):
    """Times as whole nanoseconds: seconds since 1970 have more digits than a double."""
    from pyarrow import RecordBatch, compute, int64
    columns = [compute.cast(compute.replace_substring(column, ".", ""), int64())
               if name in TIMES else column
               for name, column in zip(batch.schema.names, batch.columns)]
    names = [name[:-1] + "ns" if name in TIMES else name for name in batch.schema.names]
    return RecordBatch.from_arrays(columns, names=names)


def convert(stream, path):
    from pyarrow import csv, int64, parquet, schema, string
    kinds = {name: string() if name in TEXTS else int64() for name in COLUMNS}
    written = schema([(name[:-1] + "ns", int64()) if name in TIMES
                      else (name, kinds[name]) for name in COLUMNS])
    reader = csv.open_csv(
        stream, read_options=csv.ReadOptions(block_size=BLOCK, use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=kinds, check_utf8=False,
                                           strings_can_be_null=False))
    with parquet.ParquetWriter(path, written) as out:
        for batch in reader:
            out.write_batch(whole(batch))


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
    unfinished = args.out + ".part"
    child = subprocess.Popen([args.program, "export", "--to=csv", "--", args.run],
                             stdout=subprocess.PIPE)
    try:
        convert(child.stdout, unfinished)
        os.replace(unfinished, args.out)
    except (OSError, pyarrow.ArrowException) as why:
        child.kill()
        child.wait()
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        sys.stderr.write("iotrace export: %s: it cannot be written: %s\n"
                         % (args.out, str(why).splitlines()[0]))
        return 1
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
