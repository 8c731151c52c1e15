"""Writes all events of a run as Parquet; started by "iotrace export --to=parquet".

It takes them from "iotrace export --to=csv", some at a time. Needs pyarrow.
"""
import argparse
import os
import subprocess
import sys

BLOCK = 16 << 20    # bytes of CSV that become one batch

TEXTS = ("operation", "class", "file")
REALS = ("start_s", "duration_s")
COLUMNS = ("sequence rank pid thread level operation class file fd offset request "
           "result bytes start_s duration_s").split()


def convert(stream, path):
    from pyarrow import csv, float64, int64, parquet, string
    kinds = {name: string() if name in TEXTS else float64() if name in REALS
             else int64() for name in COLUMNS}
    reader = csv.open_csv(
        stream, read_options=csv.ReadOptions(block_size=BLOCK, use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=kinds, check_utf8=False,
                                           strings_can_be_null=False))
    with parquet.ParquetWriter(path, reader.schema) as out:
        for batch in reader:
            out.write_batch(batch)


def main():
    parser = argparse.ArgumentParser(prog="iotrace export")
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("run")
    args = parser.parse_args()
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        sys.stderr.write("iotrace export: Parquet needs pyarrow, which Python does not "
                         "find (pip install pyarrow)\n")
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
