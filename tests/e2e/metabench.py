#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""metabench: exactly as many calls as there are files, with each way of placing them;
and each lie of a file system is detected and named."""
import collections
import os
import signal
import sys
import tempfile
import unittest

from e2e import Case, drawn, fault, long, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import disks  # noqa: E402

OPS = {"mkdir": "mkdir", "create": "create", "write": "open", "stat": "stat",
       "open": "open", "read": "open", "readdir": "readdir", "rename": "rename",
       "unlink": "unlink", "rmdir": "rmdir"}
USUAL = tuple(OPS)
OPS.update({"statdir": "stat", "append": "open"},
           **{name: name for name in ("chmod", "setxattr", "getxattr", "link",
                                      "symlink", "readlink")})
SYNCED = ("create", "write", "append", "chmod", "setxattr")
REFUSED = ("no_chmod", "no_links", "no_symlinks", "no_xattr")


class Metabench(Case):
    def meta(self, *args, **how):
        return self.run_program("metabench", *(str(a) for a in args), "--quiet", **how)

    def sample(self, report, phase, act="open_close"):
        return next(s for s in report["samples"]
                    if s["phase"] == phase and s["act"] == act)

    def figure(self, report, name):
        return next(f["median"] for f in report["figures"] if f["name"] == name)

    def calls(self, report, phase):
        return self.sample(report, phase)["ops"][OPS[phase]]["calls"]

    def phases(self, report):
        return [s["phase"] for s in report["samples"] if s["act"] == "wall"]

    # ---- answers -------------------------------------------------------------

    def judge(self, report, files, workers, size, folders, names):
        """Each operation is made as often as there are files, and so is its series.
        Empty files are neither written nor read after their creation."""
        for phase in [p for p in USUAL if size or p not in ("write", "read")]:
            row = self.sample(report, phase)
            expected = workers * (folders if phase == "readdir" else files)
            self.assertEqual(self.calls(report, phase), expected, phase)
            self.assertEqual(sum(row["series"]["calls"]), row["calls"], phase)
            self.assertGreater(self.figure(report, phase + ".per_s"), 0)
        for phase, act in (("create", "write"), ("write", "write"), ("read", "read")):
            moved = [s["bytes"] for s in report["samples"]
                     if s["phase"] == phase and s["act"] == act]
            self.assertEqual(sum(moved), workers * files * size)
        checks = report["checks"]
        # stat, read, three of rename, unlink, rmdir; and the names that are listed.
        each = 7 if size else 5
        self.assertEqual(checks["blocks_checked"], each * workers * files + names)
        self.assertEqual(checks["blocks_bad"], 0)

    def test_places(self):
        """It runs on 1, 2 and 3 ranks, with threads, in each order and place."""
        shift = ("--rank-shift=1",)
        cases = [(1, "own", 1, 0, 2, ()), (2, "tree", 50, 3901, 2, shift),
                 (3, "shared", 20, 3901, 1, ("--order=random", *shift)),
                 (2, "own", 70, 65536, 1, ("--cache=flush", "--repeat=2")),
                 (3, "tree", 9, 1, 2, ("--order=random", "--depth=3", "--branch=2"))]
        for np, place, files, size, threads, more in drawn(cases, 3) + cases[1:3]:
            print("#", np, place, files, size, threads, *more)
            report = self.good(self.meta(files, "--place=" + place, "--bytes", size,
                                         "--threads", threads, *more, np=np))
            workers = np * threads
            folders = {"own": 1, "shared": 1, "tree": 15 if np == 3 else 21}[place]
            names = workers * (2 * files * (workers if place == "shared" else 1) +
                               folders - 1)
            if "--repeat=2" not in more:
                self.judge(report, files, workers, size, folders, names)

    @long
    def test_relist(self):
        """Folders are listed to their ends while all ranks make new files in them."""
        cases = [(1, "own", 3000, 1, ()), (2, "shared", 900, 2, ("--rank-shift=1",)),
                 (3, "tree", 400, 1, ("--rank-shift=1", "--order=random"))]
        for np, place, files, threads, more in drawn(cases, 1):
            print("#", np, place, files, threads, *more)
            report = self.good(self.meta(
                files, "--place=" + place, "--threads", threads, *more,
                "--ops=create,readdir,relist", np=np))
            all_files = np * threads * files
            folders = np * threads * (21 if place == "tree" else 1)
            ops = self.sample(report, "relist")["ops"]
            self.assertEqual({name: op["calls"] for name, op in ops.items()},
                             {"readdir": folders, "create": all_files,
                              "close": all_files})
            gone = self.sample(report, "relisted")["ops"]
            self.assertEqual(gone["unlink"]["calls"], all_files)
            self.assertEqual(self.phases(report),
                             ["create", "created", "readdir", "relist", "relisted"])

    def test_all_operations(self):
        """Each operation makes a call for each file, its check looks at each, and what
        comes between two reads shows in the second."""
        ops = ("mkdir,statdir,create,read,stat,append,read,write,read,chmod,setxattr,"
               "getxattr,link,symlink,readlink,ls-l,readdir,rename,read,rename,stat,"
               "unlink,ls-l,rmdir")
        cases = [(1, "own", 1, ()), (2, "tree", 2, ("--order=random", "--repeat=2")),
                 (3, "shared", 1, ("--rank-shift=1", "--fsync=each"))]
        for np, place, threads, more in drawn(cases, 1) + cases[2:]:
            print("#", np, place, threads, *more)
            report = self.good(self.meta(
                40, "--bytes=700", "--place=" + place, "--threads", threads,
                "--ops=" + ops, *more, np=np))
            self.judge_all(report, ops.split(","), 40 * np * threads, more)

    def judge_all(self, report, ops, files, more):
        seen, lacking = collections.Counter(), [w["code"] for w in report["warnings"]]
        self.assertEqual([c for c in lacking if c in REFUSED and c != "no_xattr"], [])
        for op in ops:
            seen[op] += 1
            phase = op + (str(seen[op]) if seen[op] > 1 else "")
            if "xattr" in op and "no_xattr" in lacking:
                self.assertNotIn(phase, self.phases(report))
                continue
            calls = self.sample(report, phase)["ops"]
            if op not in ("ls-l", "readdir"):
                self.assertEqual(calls[OPS[op]]["calls"], files, phase)
            self.assertGreater(self.figure(report, phase + ".per_s"), 0)
            self.assertGreater(self.figure(report, phase + ".p50_us"), 0)
            if "--fsync=each" in more and op in SYNCED:
                synced = self.sample(report, phase, "sync")["ops"]["fsync"]["calls"]
                self.assertEqual(synced, files)
                self.assertGreater(self.figure(report, phase + ".fsync_p50_us"), 0)
        for phase, size in (("read", 700), ("read2", 1400), ("read3", 1400),
                            ("read4", 1400)):
            self.assertEqual(self.sample(report, phase, "read")["bytes"], files * size)

    def test_ls_l(self):
        """Everything that is listed is looked at, by each that lists it."""
        report = self.good(self.meta(
            30, "--place=shared", "--ops=mkdir,create,link,symlink,ls-l", np=2))
        ops = self.sample(report, "ls-l")["ops"]
        self.assertEqual({name: op["calls"] for name, op in ops.items()},
                         {"readdir": 2, "stat": 2 * 4 * 30 * 2})

    @unittest.skipIf(os.environ.get("SANITIZERS"),
                     "a recorder and sanitizers want the same calls")
    def test_by_iotrace(self):
        """A trace shows the same calls on files, and no others."""
        trace = self.path("trace")
        done = self.meta(40, "--bytes=100", "--ops=create,stat,rename,unlink",
                         "--no-verify", inside=("iotrace", "run", "-o", trace, "--"))
        self.assertEqual(done.status, 0, done)
        dump = self.run_program("iotrace", "dump", trace, np=0, dir=False, json=False)
        rows = [line.split("\t") for line in dump.out.splitlines() if "/f00000" in line]
        seen = collections.Counter(row[6] for row in rows)
        self.assertEqual(seen, {"openat": 80, "write": 80, "close": 80, "fstatat": 80})

    def test_empty_files_are_neither_written_nor_read(self):
        report = self.good(self.meta(20))
        self.assertEqual(self.phases(report), [
            "mkdir", "create", "stat", "open", "readdir", "rename", "renamed", "unlink",
            "unlinked", "rmdir", "removed"])
        self.assertEqual([f["name"] for f in report["figures"]
                          if f["name"].startswith(("read.", "write."))], [])
        hard = self.good(self.meta(5, "--like=mdtest-hard", "--bytes=0"))
        self.assertNotIn("read", self.phases(hard))

    def test_like_mdtest(self):
        hard = self.good(self.meta(30, "--like=mdtest-hard", "--rank-shift=1", np=2))
        self.assertEqual(self.phases(hard),
                         ["create", "stat", "read", "unlink", "unlinked"])
        self.assertEqual(self.sample(hard, "create", "write")["bytes"], 60 * 3901)
        easy = self.good(self.meta(30, "--like=mdtest-easy", "--bytes=7", np=2))
        self.assertEqual(self.phases(easy), ["create", "stat", "unlink", "unlinked"])
        self.assertEqual(self.sample(easy, "create", "write")["bytes"], 60 * 7)

    def test_like_smallfile(self):
        report = self.good(self.meta(24, "--like=smallfile", "--bytes=3k", np=2))
        self.assertEqual(self.sample(report, "readdir")["ops"]["readdir"]["calls"], 22)
        self.assertEqual(self.sample(report, "append", "write")["bytes"], 48 * 3072)

    def test_time(self):
        """All ranks make as many as the fastest, and touch these."""
        report = self.good(self.meta(1000000, "--time=0.05", "--place=tree",
                                     "--ops=create,stat,unlink", np=2))
        made = self.calls(report, "create")
        self.assertEqual(made % 2, 0)
        self.assertLess(made, 2000000)
        for phase in ("stat", "unlink"):
            self.assertEqual(self.calls(report, phase), made)
        self.assertGreater(self.figure(report, "create.limit_per_s"), 0)

    def test_memory(self):
        """Memory does not grow with files, except for the bits, and none is left."""
        need = self.run_program("metabench", "1000000", "--dry-run", np=0)
        self.assertLess(need.report["rank_memory_bytes"], 500000)
        self.assertEqual(need.report["files"], 1000000)

    def test_what_is_refused(self):
        for words, why in ((("--ops=stat",), "stat needs create"),
                           (("--ops=create,frobnicate",), '"frobnicate" is not one of'),
                           (("--ops=create,rmdir",), "rmdir needs mkdir"),
                           (("--ops=create,unlink,stat",),
                            "stat cannot come after unlink"),
                           (("--ops=create,create",), "create is listed twice"),
                           (("--ops=create,getxattr",), "getxattr needs setxattr"),
                           (("--ops=readdir",), "readdir needs create or mkdir"),
                           (("--ops=create" + ",stat" * 32,), "more than 32"),
                           (("--ops=create" + ",append" * 8, "--bytes=1"),
                            "append is listed more than 7 times"),
                           (("--ops=create,append",), "append needs --bytes"),
                           (("--ops=create,read",), "read needs --bytes"),
                           (("--ops=create,write", "--like=mdtest-easy"),
                            "write needs --bytes"),
                           (("--depth=2",), "--place=tree"),
                           (("--place=tree", "--depth=16", "--branch=9"), "2^31"),
                           (("--iomethod=MPI",), "--iomethod"),
                           (("--bytes=64k1",), "--bytes")):
            self.refused(self.meta(*words, np=0), why)

    # ---- the file system fails -----------------------------------------------

    def test_faults(self):
        """A sentence names the file, and nothing is left."""
        for what, text in drawn((("write:ENOSPC:15", "No space"),
                                 ("open:EDQUOT:15", "cannot be created"),
                                 ("write:lost:15", "stat says 0 bytes"),
                                 ("read:flip:15", "verification failed")), 2):
            print("#", what)
            done = self.meta(50, "--bytes=100", "--threads=2", "--ops=create,read",
                             env=fault(what, rank=1, file="f0000"))
            self.failed(done, text, rank=1, file="f00000")
            self.assertEqual("bytes of file " in done.said[0], "verification" in text)

    def large(self):
        """Starts a run that goes on until it is ended; returns its folder, with files
        in it."""
        done = self.start("metabench", "1000000", "--quiet", "--place=shared", np=2)
        at = os.path.join(done.dir, "%s", "t000000.000000000")
        self.until(lambda: any(os.path.isdir(at % f) and len(os.listdir(at % f)) > 100
                               for f in done.files), "it makes files")
        return done, at % done.files[0]

    @long
    def test_removed_meanwhile(self):
        """Another process removes a folder of a tree, long before its turn."""
        done = self.start("metabench", "60000", "--quiet", "--place=tree",
                          "--ops=create", np=2)
        way = [os.path.join("t000001.%09d" % k) for k in (0, 4, 20)]
        self.until(lambda: any(os.path.exists(os.path.join(done.dir, f, *way))
                               for f in done.files), "the tree is there")
        os.rmdir(os.path.join(done.dir, done.files[0], *way))
        self.failed(done.wait(60), "be opened: No such file", rank=1, file=way[2])

    def test_killed(self):
        """The next run names the files left by kill -9, and ends as it is told."""
        done, at = self.large()
        done.signal(signal.SIGKILL)
        done.wait(60)
        left = os.path.basename(os.path.dirname(at))
        self.assertEqual(done.files, [left])
        again = self.meta(3, np=1, dir=done.dir)
        self.assertEqual(again.status, 0, again)
        self.assertIn("left or kept files", again.err)
        self.assertIn(left, again.err)

    # ---- the file system lies ------------------------------------------------

    def lied_to(self, what, names, *args):
        at = tempfile.mkdtemp(dir=self.tmp)
        with disks.passthrough(at, what, names):
            return self.meta(*args, np=2, dir=at)

    def wrong(self, done, *parts):
        self.assertEqual(done.status, 1, done)
        self.assertIs(done.report["valid"], False)
        self.assertEqual(len(done.said), 1, done)
        for part in (*parts, "verification failed", "rank "):
            self.assertIn(part, done.said[0])

    def test_listings(self):
        for op in drawn(("readdir", "relist"), 1):
            done = self.lied_to("readdir:lost:150", "/f0", 100, "--ops=create," + op)
            self.wrong(done, "not in the listing", "/f00000")
        done = self.lied_to("readdir:twice:150", "/f0", 100, "--ops=create,readdir")
        self.wrong(done, "listed twice", "/f00000")

    def test_stat(self):
        name = "f000001.000000017"
        done = self.lied_to("getattr:stale:1+", name, 40, "--bytes=3901",
                            "--ops=create,stat")
        self.wrong(done, "stat says 0 bytes, expected 3901", name, "rank 1")

    def test_names_that_are_not_gone(self):
        for what, text in drawn((("unlink:lost:30", "there after unlink"),
                                 ("rename:lost:30", "there after rename")), 1):
            done = self.lied_to(what, "/f0" if "rename" in what else "/r0", 40,
                                "--ops=create,rename,unlink")
            self.wrong(done, text, "expected gone")

    def test_results_that_are_not_so(self):
        """A call succeeds, and its result is another one."""
        for what, names, ops, text in drawn((
                ("create:lost:30", "/f0", "create", "not there after create"),
                ("create:lost:30", "/f0", "create,stat", "not there, and it was made"),
                ("create:mode:30", "/f0", "create,stat", "mode 0640, expected 0644"),
                ("getattr:links:90+", "/f0", "create,stat,stat", "link count 2"),
                ("rename:zero:30", "/f0", "create,rename", "not what was written"),
                ("rename:zero:30", "/f0", "create,rename,read", "not what was written"),
                ("chmod:lost:30", "/f0", "create,chmod", "mode 0644, expected 0640"),
                ("link:copy:30", "/l0", "create,link", "link count 1, expected 2"),
                ("symlink:flip:30", "/s0", "create,symlink", "it leads to"),
                ("setxattr:lost:30", "/f0", "create,setxattr", "cannot be read"),
                ("setxattr:lost:120", "/f0", "create,setxattr,setxattr",
                 "version 1\", expected"),
                ("write:lost:60", "/f0", "create,append,read", "bytes")), 4):
            print("#", what, ops)
            done = self.lied_to(what, names, 40, "--bytes=2000", "--ops=" + ops)
            if "cannot be read" in text:
                self.failed(done, text)
            else:
                self.wrong(done, text)

    def test_what_is_refused_here(self):
        """It is left out, with all that needs it, in a sentence of the report."""
        for what, names, code, left in drawn((
                ("link:EPERM:1+", "", "no_links", ["link"]),
                ("symlink:ENOSYS:1+", "", "no_symlinks", ["symlink", "readlink"]),
                ("setxattr:EOPNOTSUPP:1+", "", "no_xattr", ["setxattr", "getxattr"]),
                ("chmod:EPERM:1+", "", "no_chmod", ["chmod"])), 2):
            ops = ("create,chmod,setxattr,getxattr,link,symlink,readlink,stat,ls-l,"
                   "unlink")
            report = self.good(self.lied_to(what, names, 10, "--ops=" + ops))
            said = {w["code"]: w["text"] for w in report["warnings"]}
            self.assertIn(" left out: this file system (fuse", said[code])
            phases = [p for p in self.phases(report) if p in ops.split(",")]
            self.assertEqual(phases, [op for op in ops.split(",") if op not in left])

    def test_syncs_reach_the_server(self):
        """FUSE does not pass syncfs on: each file is synced, and an error there is a
        failure. 40 syncs arrive for 40 files, and none without --cache=flush."""
        for k, policy, words in ((40, "flush", "fsync failed"), (41, "flush", None),
                                 (1, "keep", None)):
            done = self.lied_to("fsync:EIO:%d" % k, "/f0", 20, "--bytes=100",
                                "--ops=create", "--cache=" + policy)
            if words:
                self.failed(done, words)
            else:
                report = self.good(done)
                calls = [s["ops"]["fsync"]["calls"] for s in report["samples"]
                         if s["act"] == "sync" and s.get("ops")]
                self.assertEqual(calls, [40] if policy == "flush" else [])

    def test_files_that_are_kept_are_synced(self):
        at = tempfile.mkdtemp(dir=self.tmp)
        with disks.passthrough(at, "fsync:EIO:2", "/blocktransfer"):
            done = self.blocktransfer("64k", "-b", "4k", "--keep", "--cache=keep",
                                      np=2, dir=at)
        self.failed(done, "the file that is kept cannot be synced")

    def test_delays(self):
        """Some calls take 20 ms longer: the 99th percentile shows it."""
        done = self.lied_to("getattr:slow:70%", "/f0", 600, "--bytes=1",
                            "--ops=create,stat")
        self.assertEqual(done.status, 0, done)
        ops = self.sample(done.report, "stat")["ops"]["stat"]
        self.assertGreaterEqual(ops["p99_s"], 0.019)
        self.assertLess(ops["p50_s"], 0.019)


if __name__ == "__main__":
    main()
