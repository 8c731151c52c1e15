#!/usr/bin/env python3
# tier: quick ci
"""outcore aio: every operation once, in its set, by every engine; and how it ends."""
import json
import os
import signal

from e2e import Case, add, any_mpi, fault, limited_memory, main, samples, total

KNOWN = {"operations": 62, "operation_bytes": 16384, "last_operation_bytes": 576,
         "sets": 16, "last_set_operations": 2}
STREAM = ("1000000", "--set=4", "--set-bytes=64k")
FILES = "files/outcore-"


class Aio(Case):
    def aio(self, *args, **how):
        return self.run_program("outcore", "aio", *args, "--quiet", **how)

    def engines(self):
        done = self.run_program("outcore", "aio", "--list-engines=json", np=0,
                                dir=False, json=False)
        return [row["name"] for row in json.loads(done.out) if not row.get("unusable")
                and not row.get("reason")]

    def counted(self, report, streams, engines=1):
        for name, value in KNOWN.items():
            self.assertEqual(report["results"][name], [value])
        for act in ("write", "read"):
            self.assertEqual(total(report, act), engines * streams * 1000000)
            self.assertEqual(total(report, act, "calls"), engines * streams * 62)
        self.assertEqual(report["checks"]["blocks_checked"], engines * streams * 62)
        self.assertEqual(report["checks"]["blocks_bad"], 0)

    # ---- data that are moved ---------------------------------------------------------

    def test_known_answer(self):
        self.counted(self.good(self.aio(*STREAM, np=1)), 1)

    def by_every_engine(self, np, *options):
        """In one run, in turn."""
        there = [e for e in ("posix", "aio", "libaio", "threads", "uring", "mmap")
                 if e in self.engines()]
        report = self.good(self.aio(*STREAM, "--engines=all", *options, np=np))
        self.counted(report, np, len(there))
        found = [s["at"]["engine"] for s in samples(report, "wall", "read")]
        self.assertEqual(found, there)
        figures = {(f["name"], f["at"]["engine"]): f for f in report["figures"]}
        for engine in there:
            self.assertEqual(len(figures["read.stream_MBps", engine]["reps"]), 1)
        self.assertEqual(figures["read.threads", "posix"]["reps"], [1])
        self.moved_by_itself(report)

    def moved_by_itself(self, report):
        """Each engine's transfers are its own, as their threads show."""
        found = {f["at"]["engine"]: f["reps"] for f in report["figures"]
                 if f["name"] == "read.threads"}
        self.assertTrue(all(n > 1 for n in found["threads"]), found)
        self.assertTrue(all(n > 1 for n in found.get("aio", [2])), found)
        self.assertTrue(all(n == 1 for n in found["posix"]), found)

    def test_first_is_another_one_in_each_repetition(self):
        report = self.good(self.aio("64k", "--engines=posix,threads", "-r", "2", np=1))
        self.assertEqual([s["at"]["engine"] for s in samples(report, "wall", "read")],
                         ["posix", "threads", "threads", "posix"])
        self.assertEqual(report["io"]["engine"], "posix,threads")

    def in_a_way(self, np, *options):
        lanes = 2 if "--threads=2" in options else 1
        self.counted(self.good(self.aio(*STREAM, *options, np=np)), np * lanes)

    def test_reading_only(self):
        """One file, made untimed, serves all."""
        report = self.good(self.aio(*STREAM, "--op=read", "--engines=posix,threads"))
        self.moved_by_itself(report)
        self.assertEqual([s["phase"] for s in samples(report, "wall")],
                         ["make", "read", "read"])
        self.assertEqual(total(report, "write"), 2 * 1000000)
        self.assertEqual(total(report, "read"), 4 * 1000000)
        names = [f["name"] for f in report["figures"]]
        self.assertFalse([n for n in names if n.startswith(("make", "write"))])

    def test_writing_only(self):
        report = self.good(self.aio(*STREAM, "--op=write"))
        self.assertEqual([s["phase"] for s in samples(report, "wall")],
                         ["write", "verify"])
        self.counted(report, 2)
        self.assertFalse([f for f in report["figures"]
                          if f["name"].startswith("verify")])

    def test_a_limit_of_memory_is_noted(self):
        report = self.good(self.aio("64k", np=1,
                                    inside=limited_memory(self, 512 << 20)))
        self.assertIn(str(512 << 20), report["run"]["notes"]["memory_limit"])

    def test_threads_are_counted(self):
        """The engine "threads" has one thread for each operation in flight, and starts
        no more."""
        report = self.good(self.aio("1M", "--set=2", "--set-bytes=64k",
                                    "--iomethod=threads", np=1))
        figures = {f["name"]: f["median"] for f in report["figures"]}
        self.assertEqual((figures["write.threads"], figures["read.threads"]), (5, 5))

    def test_sleeping_is_part_of_the_stream(self):
        report = self.good(self.aio("1M", "--set-bytes=256k", "--consume=sleep:20000",
                                    "--op=read", np=1))
        figures = {f["name"]: f["median"] for f in report["figures"]}
        self.assertLess(figures["read.stream_MBps"], 1.048576 / (4 * 0.02))
        computed = samples(report, "compute", "read")[0]["max_s"]
        self.assertGreater(computed, 4 * 0.02)

    def test_a_set_is_overtaken(self):
        """Each second operation takes long, and is a set of its own."""
        report = self.good(self.aio(
            "1M", "--set=1", "--set-bytes=64k", "--op=read", "--no-verify",
            "--iomethod=null:delay_us=3000,delay_every=2", np=1))
        share = [f["median"] for f in report["figures"]
                 if f["name"] == "read.out_of_order"]
        self.assertGreater(share[0], 20)

    # ---- ends ------------------------------------------------------------------------

    def fails_in_a_set(self, what, words):
        done = self.aio("1M", "--set-bytes=64k", "--iomethod=null:%s=7" % what,
                        "--no-verify", np=1)
        self.failed(done, "set 2 of 16 failed by its operation 3 of 4", words)

    def test_a_failure_in_a_queue(self):
        self.failed(self.aio("1M", "--mode=queue", "--iomethod=null:fail_every=7",
                             "--no-verify", np=1), "injected")

    def a_full_disk(self, engine):
        done = self.aio("1M", "--iomethod=" + engine, np=2,
                        env=fault("write:ENOSPC:3+", 1, FILES))
        error = self.failed(done, "set 1 of 4", rank=1)
        self.assertEqual(error["errno"], "ENOSPC")

    def test_one_wrong_bit(self):
        """It is found by any reader."""
        for phase in ("read", "write"):
            done = self.aio("1M", "--op=" + phase, np=2,
                            env=fault("write:flip:3", 1, FILES))
            self.failed(done, "verification failed", rank=1)

    def test_stopped(self):
        run = self.start("outcore", "aio", "4M", "--quiet", "-r", "100000",
                         "--engines=posix,threads", "--consume=sleep:1000")
        self.until(lambda: run.files and run.ranks(), "it writes")
        run.signal(signal.SIGTERM)
        run.wait(30)
        self.assertNotEqual(run.status, 0)
        self.until(lambda: not run.ranks(), "all ranks are gone")
        self.assertEqual(run.files, [], run)
        self.assertIs(run.report["valid"], False)

    def test_kept_files_are_each_engines_own(self):
        done = self.aio("64k", "--engines=posix,threads", "--keep", np=1)
        self.assertEqual(done.status, 0, done)
        self.assertEqual([name.split(".", 1)[1] for name in done.files],
                         ["stream1.posix.000000", "stream2.threads.000000"])
        for name in done.files:
            self.assertEqual(os.path.getsize(os.path.join(done.dir, name)), 65536)

    # ---- refusals --------------------------------------------------------------------

    @any_mpi
    def test_refused(self):
        for args, words in (
                (("--set=3", "--set-bytes=64k"), "no multiple of --set=3"),
                (("--sets=512",), "1024 are the most"),
                (("--engines=posix", "--iomethod=posix"), "leave out one"),
                (("--engines=posix,nfs",), "nfs"),
                (("--engines=posix,null",), "--no-verify"),
                (("--engines=threads:deep=3",), "deep"),
                (("--consume=eat",), "checksum, copy, none"),
                (("1000000", "--cache=direct"), "moves multiples of ")):
            self.refused(self.aio(*args, np=1), words)


for number, options in enumerate((
        ("--threads=2", "--filetype=SHARED"), ("--mode=queue", "--iomethod=threads"),
        ("--mode=queue", "--threads=2", "--consume=copy"),
        ("--sets=1", "--iomethod=threads"), ("--sets=3", "--consume=none"),
        ("--filetype=SHARED", "--iomethod=MPI"))):
    add(Aio, "way_%d" % number, "in_a_way", number % 3 + 1, *options)
for np, options in ((1, ()), (2, ("--mode=queue",)), (1, ("--filetype=SHARED",))):
    add(Aio, "every_engine" + "".join(options).replace("--", "_"), "by_every_engine",
        np, *options)
for what, words in (("fail_every", "injected"), ("short_every", "short transfer")):
    add(Aio, what, "fails_in_a_set", what, words)
for engine in ("posix", "threads"):
    add(Aio, "full_disk_" + engine, "a_full_disk", engine)

if __name__ == "__main__":
    main()
