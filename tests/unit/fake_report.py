"""Synthetic reports that follow the schema, with a test's changes."""
import json
import os
import uuid

OPTIONS = {"npix": (1024, True), "nbin": (8, True), "filetype": ("unique", False),
           "iomethod": ("posix", False)}


def report(figures=None, config="", series_id="s1", round_number=None, options=None,
           ranks=4, cache="flush", valid=True, why="", share=1.0, warnings=(),
           load=0.1, label="", slowest=0, program="madbench"):
    values = dict(OPTIONS)
    for name, value in (options or {}).items():
        values[name] = (value, values.get(name, (None, False))[1])
    series = {"id": series_id if config else "", "config": config,
              "round": round_number}
    return {
        "schema": "leadline-report/1", "valid": valid, "why": why,
        "run": {"id": uuid.uuid4().hex, "program": program, "version": "0.1",
                "label": label, "series": series},
        "mpi": {"library": "MPICH", "ranks": ranks, "nodes": 1},
        "hosts": [{"name": "n1", "ranks": ranks, "cores": 4, "load1_start": load}],
        "io": {"engine": "posix", "cache": cache, "sync": "phase"},
        "options": {n: {"value": v, "unit": "1", "from": "default", "workload": w}
                    for n, (v, w) in values.items()},
        "samples": [{"rep": 1, "phase": "W", "act": act, "max_s": 1.0,
                     "max_rank": slowest, "max_host": "n1", "ranks_s": None}
                    for act in ("write", "read", "compute")],
        "figures": [{"name": name, "at": {}, "unit": "MB/s", "better": "higher",
                     "reps": reps} for name, reps in (figures or {}).items()],
        "checks": {"device_share": share},
        "warnings": [{"code": code, "text": "about " + code} for code in warnings],
        "errors": []}


def save(folder, name, tree):
    path = os.path.join(folder, name)
    with open(path, "w") as stream:
        if isinstance(tree, str):
            stream.write(tree)
        else:
            json.dump(tree, stream)
    return path


def save_runs(folder, name, tree):
    """Saves a report of each repetition, as if of so many runs with the name `name`."""
    paths = []
    for i in range(len(tree["figures"][0]["reps"])):
        one = json.loads(json.dumps(tree))
        one["run"].update(id=uuid.uuid4().hex, label=name)
        for figure in one["figures"]:
            figure["reps"] = figure["reps"][i:i + 1]
        paths.append(save(folder, "%s-%d.json" % (name, i + 1), one))
    return paths


def save_series(folder, config, values, series_id="s1", figure="write_MBps", **more):
    """Saves a report a round: values[i] is that of round i + 1 (None: that run is
    missing)."""
    for i, value in enumerate(values):
        if value is not None:
            values_by_name = value if isinstance(value, dict) else {figure: value}
            figures = {name: [v] for name, v in values_by_name.items()}
            save(folder, "%s-%s-%d.json" % (series_id, config, i + 1),
                 report(figures, config, series_id, i + 1, **more))
