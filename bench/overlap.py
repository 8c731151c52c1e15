#!/usr/bin/env python3
"""How much I/O each asynchronous interface hides behind computation: a measurement.

    bench/overlap.py --build BUILD [--build BUILD ...] [options]        (as root)

Runs `madbench --overlap` in I/O mode with every asynchronous interface of each build
directory (one for each MPI), on an ext4 file system on a loop device that the kernel
throttles to --rate, so that the device sets the times and not the noise of a shared
disk. The busy work is chosen so that computing takes as long as the I/O. Interfaces
take turns, --rounds times; what is printed are medians:

  overlap      (t_io + t_comp - t_both) / min(t_io, t_comp), of phases S, W and C; a
               pipeline of NBIN bins allows 1 - 1/NBIN. The bar is 0.85.
  both/longer  sum over phases of t_both / sum of max(t_io, t_comp): what computing
               with I/O costs against the longer of the two alone. The bar is 1.15.

POSIX interfaces go past the page cache (--cache=direct). MPI-IO has no way to: its
file system is mounted with -o sync, so that a write is done when the device has it,
and pages are dropped before they are read (--cache=flush).

It needs root, loop devices, and the blkio controller of cgroup v1.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from fio import makefile_value, median  # noqa: E402

BLKIO = "/sys/fs/cgroup/blkio/blkio.throttle.%s_bps_device"
BARS = {"overlap": 0.85, "longer": 1.15}
PHASES = "SWC"


def arguments():
    p = argparse.ArgumentParser(description="Overlap of asynchronous I/O.")
    p.add_argument("--build", action="append", required=True,
                   help="build directory; may be repeated")
    p.add_argument("--dir", default="/var/tmp", help="where the device's image is made")
    p.add_argument("-n", "--ranks", type=int, default=1)
    p.add_argument("--npix", type=int, default=1024)
    p.add_argument("--nbin", type=int, default=32)
    p.add_argument("--rate", type=int, default=80, help="of the device, MiB/s")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--only", help="names of interfaces, with commas")
    args = p.parse_args()
    if os.geteuid():
        p.error("only root can make the throttled device")
    if not os.path.exists(BLKIO % "read"):
        p.error("there is no blkio controller of cgroup v1 to throttle a device with")
    return args


class Device:
    """A throttled file system; undone at the end, whatever happens."""

    def __init__(self, args):
        self.folder = tempfile.mkdtemp(prefix="overlap-", dir=args.dir)
        self.image = os.path.join(self.folder, "image")
        self.mounted = os.path.join(self.folder, "files")
        self.loop = None
        self.size = 2 * 8 * args.npix ** 2 * args.nbin + (256 << 20)

    def __enter__(self):
        os.mkdir(self.mounted)
        subprocess.run(["fallocate", "-l", str(self.size), self.image], check=True)
        done = subprocess.run(["losetup", "--direct-io=on", "--show", "-f", self.image],
                              stdout=subprocess.PIPE, check=True)
        self.loop = done.stdout.decode().strip()
        subprocess.run(["mkfs.ext4", "-q", "-F", self.loop], check=True)
        subprocess.run(["mount", self.loop, self.mounted], check=True)
        return self

    def throttle(self, rate):
        name = os.path.basename(self.loop)
        with open("/sys/block/%s/dev" % name, encoding="ascii") as f:
            number = f.read().strip()
        for way in "read", "write":
            with open(BLKIO % way, "w", encoding="ascii") as f:
                f.write("%s %d\n" % (number, rate))

    def remount(self, how):
        subprocess.run(["mount", "-o", "remount," + how, self.mounted], check=True)

    def __exit__(self, *_):
        if self.loop:
            self.throttle(0)
            subprocess.run(["umount", self.mounted], check=False)
            subprocess.run(["losetup", "-d", self.loop], check=False)
        os.unlink(self.image)
        os.rmdir(self.mounted)
        os.rmdir(self.folder)


def interfaces(args):
    """(name, build, options, how the file system is mounted)"""
    found = []
    for build in args.build:
        mpi = makefile_value(build, "MPI_FLAVOUR")
        if not found:
            for engine in "uring", "threads", "libaio":
                found.append((engine, build, ["--iomethod=" + engine,
                                              "--cache=direct"], "async"))
        found.append((mpi + " iwrite_at", build, ["--iomethod=MPI"], "sync"))
        found.append((mpi + " iwrite_at_all", build,
                      ["--iomethod=MPI", "--collective", "--filetype=SHARED"], "sync"))
    if args.only:
        found = [f for f in found if f[0] in args.only.split(",")]
    return found


def madbench(args, device, interface, *more):
    name, build, options, how = interface
    device.remount(how)
    path = os.path.join(device.folder, "report.json")
    free = ["--bind-to", "none"]  # or threads would share the computation's core
    command = makefile_value(build, "MPIEXEC").split() + ["-n", str(args.ranks)]
    command += free + [
        os.path.join(build, "madbench"), str(args.npix), str(args.nbin), "--io-only",
        "--no-verify", "--quiet", "--dir=" + device.mounted,
        "--json=" + path] + options + list(more)
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if subprocess.run(command, env=env, check=False).returncode:
        sys.exit("bench/overlap.py: madbench failed with %s" % name)
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    os.unlink(path)
    return report


def alpha_for(args, device, interface):
    """The exponent with which a bin's work takes as long as its I/O: first by the rate
    that madbench finds for the busy work, then by how long it really takes."""
    goal = 8 * args.npix ** 2 / (args.rate * 2 ** 20)
    base = math.log(args.npix ** 2)
    report = madbench(args, device, interface, "--iomode=NONE", "--bwexp=0.5")
    flops = report["results"]["busy_flops_per_s"][0]
    alpha = math.log(goal * args.ranks * flops) / base
    report = madbench(args, device, interface, "--iomode=NONE", "--bwexp=%.5f" % alpha)
    took = median([s["max_s"] for s in report["samples"] if s["act"] == "compute"])
    return alpha + math.log(goal * args.nbin / took) / base


def measure(args, device, interface, alpha):
    report = madbench(args, device, interface, "--iomode=ASYNC", "--overlap",
                      "--bwexp=%.5f" % alpha)
    f = {figure["name"]: figure["median"] for figure in report["figures"]}
    result = {p: f[p + ".overlap"] for p in PHASES}
    io, comp, both = ([f["%s.t_%s_s" % (p, part)] for p in PHASES]
                      for part in ("io", "comp", "both"))
    result["longer"] = sum(both) / sum(map(max, io, comp))
    result["balance"] = sum(comp) / sum(io)
    return result


def line(name, rounds):
    m = {key: median([r[key] for r in rounds]) for key in rounds[0]}
    worst = min(m[p] for p in PHASES)
    good = worst >= BARS["overlap"] and m["longer"] <= BARS["longer"]
    print("%-22s %6.3f %6.3f %6.3f   %5.2f-%4.2f   %8.3f   %9.2f   %s" % (
        name, m["S"], m["W"], m["C"], min(r[p] for r in rounds for p in PHASES),
        max(r[p] for r in rounds for p in PHASES), m["longer"], m["balance"],
        "yes" if good else "NO"))


def main():
    args = arguments()
    chosen = interfaces(args)
    rounds = {i[0]: [] for i in chosen}
    with Device(args) as device:
        alpha = alpha_for(args, device, chosen[0])
        device.throttle(args.rate << 20)
        for n in range(args.rounds):
            for i in chosen if n % 2 == 0 else reversed(chosen):
                rounds[i[0]].append(measure(args, device, i, alpha))
                if sys.stderr.isatty():
                    sys.stderr.write("\rround %d of %d, %-24s" % (n + 1, args.rounds,
                                                                  i[0]))
    if sys.stderr.isatty():
        sys.stderr.write("\r%60s\r" % "")
    print("Overlap, %d rank(s), %d bins of %.1f MiB, device of %d MiB/s, alpha %.3f, "
          "%d rounds;\nthe pipeline allows %.3f\n" % (
              args.ranks, args.nbin, 8 * args.npix ** 2 / 2 ** 20, args.rate, alpha,
              args.rounds, 1 - 1 / args.nbin))
    print("%-22s %20s   %10s   %8s   %9s   %s" % (
        "", "overlap, medians", "all", "both/", "computing", "bars"))
    print("%-22s %6s %6s %6s   %10s   %8s   %9s   %s" % (
        "interface", "S", "W", "C", "min-max", "longer", "/ I/O", "met"))
    for i in chosen:
        line(i[0], rounds[i[0]])


if __name__ == "__main__":
    main()
