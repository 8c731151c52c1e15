#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""libiotrace.so under MPI: every call of MPI-IO is counted once, with its bytes, by one
library for both MPIs, beside other tools; its account of madbench is madbench's own.
The programs are tests/iotrace/mpi_*.c; tests/iotrace/tracelog.py reads the logs."""
import collections
import os
import shutil
import subprocess
import sys
import unittest

from e2e import (ASYNCHRONOUS, BUILD, FLAVOUR, TESTS, Case, add, long, main, total,
                 write_file)

sys.path.insert(0, os.path.join(TESTS, "iotrace"))
import tracelog  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
COLLECTIVE = 2


def built(name):
    return os.path.join(BUILD, "tests", "iotrace", name)


FORTRAN_2008 = """
program t
  use mpi_f08
  type(MPI_File) :: f
  type(MPI_Status) :: s
  type(MPI_Request) :: r
  integer(MPI_OFFSET_KIND) :: at
  integer :: a(1000) = 1, rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  at = rank * 4000
  call MPI_File_open(MPI_COMM_WORLD, 'f08.out', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, f)
  call MPI_File_write_at_all(f, at, a, 1000, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_File_read_at(f, at, a, 10, MPI_INTEGER, s)
  call MPI_File_iwrite_at(f, at, a, 100, MPI_INTEGER, r)
  call MPI_Wait(r, MPI_STATUS_IGNORE)
  call MPI_File_close(f)
  call MPI_Finalize()
end program
"""


class Mpi(Case):
    def traced(self, program, *args, preload=(RECORDER,), status=0, env=None, **how):
        """Runs it in a folder of its own; returns its logs by rank, and its output."""
        environment = {"PRELOAD": ":".join(preload), "IOTRACE_BINARY": "true"}
        environment.update(env or {})
        done = self.run_program(program, *args, env=environment, dir=False,
                                json=how.pop("json", False), **how)
        if status is not None:
            self.assertEqual(done.status, status, done)
        logs = [log for log in tracelog.logs(done.folder)
                if any(e.op.startswith("MPI_Init") for e in log.events)]
        return sorted(logs, key=lambda log: log.rank), done

    def edges(self, what, np=1, **how):
        logs, done = self.traced(built("mpi_edges"), "files", what, np=np, **how)
        return logs[0], done


def of_program(log, ending=""):
    """Returns the program's own calls: op -> (events, bytes)."""
    found = collections.defaultdict(lambda: (0, 0))
    for e in log.events:
        if e.level == 0 and e.file.endswith(ending):
            count, size = found[e.op]
            found[e.op] = (count + 1, size + tracelog.bytes_of(e))
    return dict(found)


def beneath(log, ending):
    """Returns the bytes that calls of the C library moved to and from a file, by
    level."""
    found = collections.Counter()
    for e in log.events:
        if e.file.endswith(ending) and not e.op.startswith(("MPI_", "H5")):
            found[e.level] += tracelog.bytes_of(e)
    return {level: size for level, size in found.items() if size}


def where(log, op):
    return [(e.offset, e.request, e.result) for e in log.events if e.op == op]


class Calls(Mpi):
    def forms(self, np, rounds, **how):
        logs, done = self.traced(built("mpi_forms"), "files", str(rounds), np=np, **how)
        expected = {}
        for line in done.out.splitlines():
            name, count, size = line.split()
            expected[name] = (int(count), int(size))
        self.assertGreater(len(expected), 40)
        self.assertEqual([log.rank for log in logs], list(range(np)))
        for log in logs:
            self.assertEqual(log.ranks, np)
            self.assertEqual(log.dropped, 0)
            found = {op: n for op, n in of_program(log).items()
                     if op.startswith("MPI_") and op != "MPI_File_delete"}
            self.assertEqual(found, expected)
            self.assertEqual(list(beneath(log, "files/forms")), [1])
        deletes = [of_program(log).get("MPI_File_delete") for log in logs]
        self.assertEqual(deletes, [(1, 0)] + [None] * (np - 1))

    def test_each_form(self):
        self.forms(3, 10)

    def test_each_form_of_romio(self):
        if FLAVOUR != "openmpi":
            self.skipTest("MPICH has no other")
        # ROMIO 3.2.1 lacks its nonblocking collectives.
        log, done = self.edges("view", launcher=("--mca", "io", "romio321"))
        self.assertEqual(where(log, "MPI_File_write_at"), [(-1, 12, 12)])

    def test_profile(self):
        logs, _ = self.traced(built("mpi_forms"), "files", "5", np=2,
                              env={"IOTRACE_MODE": "both"})
        for log in logs:
            found = collections.Counter()
            for p in log.profile:
                found[p.op, p.level] += p.bytes
            events = collections.Counter()
            for e in log.events:
                events[e.op, e.level] += tracelog.bytes_of(e)
            self.assertEqual({k: v for k, v in found.items() if v},
                             {k: v for k, v in events.items() if v})

    def test_collective_calls_say_so(self):
        logs, _ = self.traced(built("mpi_forms"), "files", "2", np=2)
        for e in logs[0].events:
            if e.op.startswith(("MPI_File_r", "MPI_File_w", "MPI_File_i")):
                together = "_all" in e.op or "_ordered" in e.op
                self.assertEqual(bool(e.flags & COLLECTIVE), together, e.op)

    def test_communicator_and_hints(self):
        logs, _ = self.traced(built("mpi_forms"), "files", "1", np=2)
        for log in logs:
            ranks, hints = log.hints("files/forms")
            self.assertEqual(ranks, 2)
            if FLAVOUR == "mpich":  # Open MPI has the program's hints
                self.assertEqual(hints["cb_nodes"], "1")
        log, _ = self.edges("view")
        self.assertEqual(log.hints("edges.0")[0], 1)

    def test_view(self):
        log, _ = self.edges("view")
        self.assertEqual(where(log, "MPI_File_set_view"), [(100, 4, 0)])
        # With gaps between elements there is no single offset; the calls below have
        # one.
        self.assertEqual(where(log, "MPI_File_write_at"), [(-1, 12, 12)])
        self.assertEqual(where(log, "MPI_File_write"), [(-1, 12, 12)])
        self.assertEqual(where(log, "MPI_File_read"), [(140, 4, 4)])

    def test_past_the_end(self):
        log, _ = self.edges("past_the_end")
        self.assertEqual(where(log, "MPI_File_read_at"), [(990, 100, 10)] * 2)

    @unittest.skipIf(FLAVOUR == "openmpi", "Open MPI itself waits for ever")
    def test_a_request_that_ends_short(self):
        log, _ = self.edges("ends_short")
        self.assertEqual(where(log, "MPI_Wait_read"), [(990, 100, 10)])

    def test_more_requests_than_it_remembers(self):
        log, _ = self.edges("many")
        found = of_program(log, "edges.0")
        self.assertEqual(found["MPI_File_iwrite_at"][0], 5001)
        self.assertEqual(found["MPI_File_iwrite_at"][1] + found["MPI_Wait_write"][1],
                         5000 + 7)
        self.assertEqual(where(log, "MPI_Wait_write")[-1], (0, 7, 7))
        self.assertEqual(beneath(log, "edges.0"), {1: 5007})

    def test_requests_that_end_in_other_calls(self):
        log, _ = self.edges("elsewhere")
        self.assertEqual(where(log, "MPI_Wait_write"),
                         [(0, 4096, 4096), (-1, 32000, 32000)])
        # ROMIO may also write the gaps between the pieces.
        moved = beneath(log, "edges.0")
        self.assertEqual(list(moved), [1])
        self.assertGreaterEqual(moved[1], 4096 + 32000)

    def test_failures(self):
        log, _ = self.edges("fails")
        self.assertEqual([e.result for e in log.events if e.op == "MPI_File_open"],
                         [0, -5])

    def test_without_finalize(self):
        logs, _ = self.traced(built("mpi_edges"), "files", "without_finalize", np=2,
                              status=None)
        self.assertEqual([log.rank for log in logs], [0, 1])
        for log in logs:
            self.assertEqual(where(log, "MPI_File_write_at"), [(0, 4096, 4096)])
            self.assertEqual(where(log, "MPI_Finalize"), [])

    @unittest.skipUnless(os.path.exists(built("mpi_fortran")), "no Fortran library")
    def test_fortran(self):
        logs, _ = self.traced(built("mpi_fortran"), "files", np=2)
        for log in logs:
            found = of_program(log, "fortran.%d" % log.rank)
            self.assertEqual(where(log, "MPI_File_write_at"),
                             [(0, 32, 32), (32, 32, 32), (64, 32, 32)])
            self.assertEqual(found["MPI_File_open"], (1, 0))
            self.assertEqual(found["MPI_File_read_at_all"], (1, 32))
            self.assertEqual(found["MPI_File_iwrite_at"], (1, 0))
            self.assertEqual(found["MPI_Wait_write"], (1, 32))
            self.assertEqual(found["MPI_File_close"], (1, 0))
            self.assertEqual(of_program(log)["MPI_Finalize"], (1, 0))

    def test_fortran_2008(self):
        compiler = shutil.which("mpifort." + FLAVOUR) or shutil.which("mpifort")
        source = write_file(self.path("t.f90"), FORTRAN_2008)
        program = self.path("t")
        if not compiler or subprocess.call((compiler, "-o", program, source),
                                           cwd=self.tmp, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL):
            self.skipTest("no Fortran compiler with mpi_f08")
        logs, _ = self.traced(program, np=2)
        self.assertEqual(len(logs), 2)
        for log in logs:
            found = of_program(log, "f08.out")
            self.assertEqual({op: n for op, n in found.items() if "File" in op}, {
                "MPI_File_open": (1, 0), "MPI_File_close": (1, 0),
                "MPI_File_write_at_all": (1, 4000), "MPI_File_read_at": (1, 40),
                "MPI_File_iwrite_at": (1, 0)})
            self.assertEqual(found["MPI_Wait_write"], (1, 400))

    def test_loaded_by_a_library(self):
        """Python's modules load like this: MPI is not visible to the whole program."""
        script = ("import ctypes, sys; a = [b'x', b'files', b'view']; "
                  "ctypes.CDLL(sys.argv[1]).edges_main(3, (ctypes.c_char_p * 4)(*a))")
        logs, _ = self.traced(sys.executable, "-c", script, built("mpi_edges.so"), np=1)
        self.assertEqual(where(logs[0], "MPI_File_write_at"), [(-1, 12, 12)])
        self.assertEqual((logs[0].rank, logs[0].ranks), (0, 1))


class Clocks(Mpi):
    """The offset from a rank's time to rank 0's."""

    def offsets(self, how, np=3):
        logs, _ = self.traced(built("mpi_edges"), "files", "view", np=np,
                              env={"IOTRACE_ALIGN": how})
        self.assertEqual(len(logs), np)
        return logs

    def test_ranks_of_one_node_have_one_clock(self):
        for log in self.offsets("1"):
            self.assertEqual(log.offset_ns, (0, 0))
            self.assertLess(log.unix_ns[0], log.offset_at_ns[0])
            self.assertLess(log.offset_at_ns[0], log.offset_at_ns[1])

    def test_measured(self):
        logs = self.offsets("always")
        self.assertEqual(logs[0].offset_ns, (0, 0))
        for log in logs[1:]:
            self.assertLess(log.unix_ns[0], log.offset_at_ns[0])
            # The one at the end is left out if a rank is late for it.
            for offset in log.offset_ns:
                self.assertLess(abs(offset), 5e8)
        self.assertTrue(any(offset for log in logs[1:] for offset in log.offset_ns))

    def test_only_some_are_traced(self):
        """IOTRACE_ALIGN=always contradicts; nothing waits for ever."""
        for rank in "01":
            script = ('test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = %s || '
                      'LD_PRELOAD=; exec %s files view' % (rank, built("mpi_edges")))
            logs, _ = self.traced("/bin/sh", "-c", script, np=2,
                                  env={"IOTRACE_ALIGN": "always",
                                       "IOTRACE_FOLLOW": "environment"})
            self.assertEqual([log.rank for log in logs], [int(rank)])


@unittest.skipUnless(os.path.exists(built("hdf5_levels")), "built without HDF5")
class Hdf5(Mpi):
    def levels(self, wanted, *more):
        preload = RECORDER + (":" + built("hdf5_later.so") if more else "")
        done = self.run_program(built("hdf5_levels"), "levels.h5", *more, np=0,
                                dir=False, json=False,
                                env={"PRELOAD": preload, "IOTRACE_BINARY": "true",
                                     "IOTRACE_HDF5": wanted})
        self.assertEqual(done.status, 0, done)
        log, = [log for log in tracelog.logs(done.folder)
                if log.value("exe").endswith("hdf5_levels")]
        self.assertGreater(log.counts("levels.h5")["pwrite"][1], 1000)
        return log

    def test_a_level_of_its_own(self):
        log = self.levels("1")
        self.assertEqual(of_program(log, "levels.h5"), {
            "H5Fcreate": (1, 0), "H5Fopen": (1, 0), "H5Fclose": (2, 0),
            "H5Fflush": (1, 0), "H5Dcreate": (2, 0), "H5Dopen": (1, 0),
            "H5Dclose": (3, 0), "H5Dwrite": (2, 1000), "H5Dread": (1, 80),
            "H5Acreate": (1, 0), "H5Aopen": (1, 0), "H5Aclose": (2, 0),
            "H5Awrite": (1, 80), "H5Aread": (1, 80)})
        self.assertEqual(list(beneath(log, "levels.h5")), [1])

    def test_calls_of_later_versions(self):
        found = of_program(self.levels("1", "later"), "levels.h5")
        if found["H5Dread"][0] == 1:
            self.skipTest("HDF5 has them itself")
        self.assertEqual((found["H5Dwrite"], found["H5Dread"]),
                         ((3, 1200), (2, 80 + 1000)))

    def test_not_asked_for(self):
        log = self.levels("0")
        self.assertEqual([e for e in log.events if e.op.startswith("H5")], [])
        self.assertEqual(list(beneath(log, "levels.h5")), [0])


@unittest.skipUnless(os.path.exists(built("pnetcdf_levels")),
                     "there is no PnetCDF for this MPI")
class Pnetcdf(Mpi):
    def levels(self, wanted, *program):
        done = self.run_program(*program, "levels.nc", np=2, dir=False, json=False,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true",
                                     "IOTRACE_PNETCDF": wanted})
        self.assertEqual(done.status, 0, done)
        logs = [log for log in tracelog.logs(done.folder)
                if any(e.op == "MPI_Init" for e in log.events)]
        self.assertEqual(len(logs), 2)
        told = {name: (int(n), int(size)) for name, n, size in
                (line.split() for line in done.out.splitlines())}
        return logs, told

    def a_level_of_its_own(self, *program):
        logs, told = self.levels("1", *program)
        for log in logs:
            found = of_program(log, "levels.nc")
            self.assertEqual({k: v for k, v in found.items() if "ncmpi" in k}, told)
            mpi = [e for e in log.events if e.op.startswith("MPI_File_") and
                   e.klass in ("READ", "WRITE")]
            self.assertEqual({e.level for e in mpi}, {1})
            self.assertEqual({e.flags & COLLECTIVE for e in log.events
                              if e.op == "ncmpi_put_vara"}, {COLLECTIVE})
            self.assertEqual({e.flags & COLLECTIVE for e in log.events
                              if e.op == "ncmpi_put_var1"}, {0})

    def test_a_level_of_its_own(self):
        self.a_level_of_its_own(built("pnetcdf_levels"))

    @long
    def test_a_library_that_is_loaded_later(self):
        self.a_level_of_its_own(
            sys.executable, "-c", "import ctypes, sys; a = (ctypes.c_char_p * 3)(b'x', "
            "sys.argv[1].encode()); ctypes.CDLL(%r).levels_main(2, a)"
            % built("pnetcdf_levels.so"))

    @long
    def test_not_asked_for(self):
        logs, _ = self.levels("0", built("pnetcdf_levels"))
        for log in logs:
            self.assertEqual([e for e in log.events if "ncmpi" in e.op], [])


class Tools(Mpi):
    """Another tool on the same interface, preloaded before and after."""

    def beside(self, tool, before):
        order = (built(tool), RECORDER) if before else (RECORDER, built(tool))
        logs, done = self.traced(built("mpi_edges"), "files", "view", np=2,
                                 preload=order)
        self.assertEqual(done.out.splitlines(), ["counted 1 opens, 1 writes"] * 2)
        for log in logs:
            found = of_program(log)
            self.assertEqual(found["MPI_File_open"], (1, 0))
            self.assertEqual(found["MPI_File_write_at"], (1, 12))
            self.assertEqual(found["MPI_File_write"], (1, 12))
            self.assertEqual(found["MPI_Finalize"], (1, 0))


for tool in ("pmpi_count", "pmpi_count_next"):
    for before in (True, False):
        add(Tools, tool + ("_before" if before else "_after"), "beside", tool + ".so",
            before)


class Madbench(Mpi):
    """The recorder's account of a run is the program's own."""

    def account(self, calls, level, *options):
        logs, done = self.traced(os.path.join(BUILD, "madbench"), "64", "2",
                                 "--io-only", "--quiet", "--dir", "files", *options,
                                 np=4, json=True)
        moved = collections.Counter()
        for log in logs:
            self.assertEqual(log.dropped, 0)
            for e in log.events:
                if "files/madbench" in e.file and e.level == level:
                    moved[e.op] += tracelog.bytes_of(e)
        report = done.report
        self.assertIs(report["valid"], True)
        for act in ("read", "write"):
            told = total(report, act)
            self.assertGreater(told, 0)
            self.assertEqual(moved.pop(calls[act]), told, (act, moved))
        self.assertEqual({op: n for op, n in moved.items() if n}, {})


for name, prefix, options in (
        ("mpi", "MPI_File_%s_at", ("--iomethod=MPI", "--filetype=SHARED")),
        ("mpi_collective", "MPI_File_%s_at_all",
         ("--iomethod=MPI", "--filetype=SHARED", "--collective")),
        ("posix", "p%s", ("--iomethod=POSIX",)),
        ("threads", "p%s", ("--iomethod=threads", "--iomode=ASYNC"))):
    add(Madbench, name, "account",
        {act: prefix % act for act in ("read", "write")}, 0, *options)
for name, prefix in (("uring", "uring_%s_end"), ("libaio", "io_getevents_%s")):
    if name in ASYNCHRONOUS:
        add(Madbench, name, "account",
            {act: prefix % act for act in ("read", "write")}, 0,
            "--iomethod=" + name, "--iomode=ASYNC")


if __name__ == "__main__":
    main()
