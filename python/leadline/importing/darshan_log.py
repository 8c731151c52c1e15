"""A Darshan log's records of POSIX, STDIO and MPI-IO as JSON, by pydarshan: a program
of its own, since that library's C part ends the process at some damaged logs.

    python3 darshan_log.py LOG
"""
import json
import sys

NO_LIBRARY = 3     # exit status
MODULES = ("POSIX", "STDIO", "MPI-IO")


def records(log):
    found = []
    mounts = sorted(log.mounts, key=lambda pair: -len(pair[0]))
    for module in [name for name in MODULES if name in log.records]:
        for record in log.records[module].to_dict():
            name = log.name_records.get(record["id"], "?")
            mount, fs = next(((m, f) for m, f in mounts if name.startswith(m)),
                             ("", ""))
            counters = {key: int(value) for key, value in record["counters"].items()}
            counters.update((key, float(value))
                            for key, value in record["fcounters"].items())
            found.append([module, int(record["rank"]), str(record["id"]), name, mount,
                          fs, counters])
    return found


def main():
    sys.path.pop(0)    # this file's folder, which has a module of the same name
    try:
        import darshan
    except ImportError:
        return NO_LIBRARY
    log = darshan.DarshanReport(sys.argv[1], read_all=True)
    job = log.metadata["job"]
    json.dump({"version": str(job.get("log_ver") or ""),
               "nprocs": int(job["nprocs"]),
               "run_time": float(job.get("run_time") or 0),
               "start": int(job.get("start_time_sec", job.get("start_time", 0)) or 0),
               "end": int(job.get("end_time_sec", job.get("end_time", 0)) or 0),
               "exe": str(log.metadata.get("exe") or ""), "records": records(log),
               "partial": [name for name in MODULES
                           if log.modules.get(name, {}).get("partial_flag")]},
              sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
