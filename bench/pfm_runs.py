"""Loads of pfmload that the measurements beside this file share."""
import json
import os
import resource
import subprocess
import time

import paper_runs as runs


def survey(build, folder, files, pings):
    """The list of a new survey's files."""
    subprocess.run([os.path.join(build, "gsfgen"), "--files=%d" % files, "--quiet",
                    "--pings=%d" % pings, "--dir=" + folder], check=True)
    path = os.path.join(folder, "survey.list")
    with open(path, "w") as stream:
        stream.writelines("line-%04d.gsf\n" % (i + 1) for i in range(files))
    return path


def load(build, path, scheme, ranks, options):
    """{"command", "wall", "processor": seconds; "soundings"} of one load."""
    report = path + ".json"
    line = runs.mpiexec(build) + [
        "-n", str(ranks), os.path.join(build, "pfmload"), "-q", "--overwrite",
        "--scheme=" + scheme, "--cache=keep", "--list=" + path,
        "--output=" + path + ".pfm", "--json=" + report] + options
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, check=True)
    took, after = time.perf_counter() - begun, resource.getrusage(
        resource.RUSAGE_CHILDREN)
    with open(report) as stream:
        said = json.load(stream)
    return {"command": took, "wall": said["run"]["wall_s"],
            "soundings": next(f["median"] for f in said["figures"]
                              if f["name"] == "soundings"),
            "processor": after.ru_utime + after.ru_stime
            - before.ru_utime - before.ru_stime}
