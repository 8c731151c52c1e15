"""ReFrame's configuration for leadline_checks.py: runs here, or as jobs of Slurm.

    reframe -C settings.py -c leadline_checks.py --system=leadline:here -r

What starts programs is LEADLINE_MPIEXEC, as in "srun --mpi=pmix"; mpirun without it.
"""
import os
import shlex

from reframe.core.backends import register_launcher
from reframe.core.launchers import JobLauncher


@register_launcher("leadline")
class Launcher(JobLauncher):
    def command(self, job):
        words = shlex.split(os.environ.get("LEADLINE_MPIEXEC", "mpirun"))
        return words + ["-n", str(job.num_tasks)]


# squeue and not slurm, which asks for an accounting that not every Slurm has.
def partition(name, scheduler):
    return {"name": name, "scheduler": scheduler, "launcher": "leadline",
            "environs": ["leadline"], "max_jobs": 1}  # two would measure each other


site_configuration = {
    "systems": [{
        "name": "leadline",
        "descr": "this machine, and the cluster it is the login node of",
        "hostnames": [".*"],
        "partitions": [partition("here", "local"), partition("slurm", "squeue")],
    }],
    "environments": [{"name": "leadline", "target_systems": ["leadline"]}],
}
