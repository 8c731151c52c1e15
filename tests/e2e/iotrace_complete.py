"""iotrace tells how complete a trace is, by the kernel's counts of bytes.
ranks: 1; limit: 120; mpi: any
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import unittest

from e2e import BUILD, Case, main, write_file
from fake_log import EPOCH, RUNNING, Log

IOTRACE = os.path.join(BUILD, "iotrace")
MS = 10 ** 6
# Writes 4096 bytes to stdout, 16 times, without the C library.
WRITER = (b"\xbb\x10\0\0\0\xb8\x01\0\0\0\xbf\x01\0\0\0\xbe\0\0\x40\0\xba\0\x10\0\0"
          b"\x0f\x05\xff\xcb\x75\xe6\x31\xff\xb8\x3c\0\0\0\x0f\x05")
WRITTEN = 16 * 4096


def writer(path):
    size = 0x1000 + len(WRITER)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0x401000, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, size, size, 0x1000)
    write_file(path, (head + load).ljust(0x1000, b"\0") + WRITER)
    os.chmod(path, 0o755)


class Complete(Case):
    def iotrace(self, *args, **more):
        done = subprocess.run((IOTRACE,) + args, cwd=self.tmp, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=100, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode("utf-8", "replace")

    def shown(self, run):
        """Returns the shares and the sentences, which all commands tell alike."""
        both = [json.loads(self.iotrace(command, "--json", "-", run))
                for command in ("summary", "findings")]
        self.assertEqual(both[0]["unseen"], both[1]["unseen"])
        self.assertEqual(both[0]["seen"], both[1]["seen"])
        seen = both[0]["seen"]
        risks = [risk["id"] for risk in both[1]["risks"]]
        shares = [v for v in seen.values() if v is not None]
        if "did not say" not in str(both[0]["unseen"]):
            self.assertEqual("incomplete" in risks, bool(shares) and min(shares) < 0.99)
        return seen, both[0]["unseen"]

    def run_of(self, *command, **more):
        shutil.rmtree(self.path("job.1"), ignore_errors=True)
        self.iotrace("run", "-n", "job", "--", *command, **more)
        return self.shown("job.1")

    # ---- made logs ----

    def log(self, name, pid, wrote, io, before="0:0", ppid=1, **more):
        facts = ["before=" + before] + (["io=" + io] if io else [])
        log = Log(pid=pid, ppid=ppid, version=3, facts=facts, **more)
        log.add("write", EPOCH + MS, 1000, name=log.name("/data/a", 3), result=wrote)
        # bytes that are not among those that the kernel counts
        log.add("MPI_File_write_all", EPOCH + 2 * MS, 1000, name=1, result=999)
        log.add("io_getevents_write", EPOCH + 3 * MS, 1000, name=1, result=999)
        os.makedirs(self.path("made"), exist_ok=True)
        log.write(self.path("made/%s.bin" % name))

    def test_all_of_it(self):
        """The recorder's own bytes, and those of calls without an event, count."""
        self.log("a", 5, 100000, "7000:100750:0:0:0:0:250:3000:4000:500")
        self.assertEqual(self.shown("made"), ({"read": 1, "written": 1}, []))

    def test_a_part(self):
        self.log("a", 5, 100000, "0:400000:0:0:0:0:0:0:0:0")
        seen, said = self.shown("made")
        self.assertEqual(seen, {"read": 1, "written": 0.25})
        self.assertEqual(said, ["293.0 KiB written: by children of process 5 (app) "
                                "without the recorder, or past the C library"])
        text = self.iotrace("summary", "made")
        self.assertIn("in the logs: 100 % of the bytes that the kernel counted as "
                      "read, 25.0 % as written", text)

    def test_less_than_a_page_is_no_gap(self):
        self.log("a", 5, 100000, "4095:104095:0:0:0:0:0:0:0:0")
        self.assertEqual(self.shown("made"), ({"read": 1, "written": 1}, []))

    def test_programs_of_a_process(self):
        """Each may read less than a page; a larger gap has the name of the last."""
        gap = ("17.6 KiB read: by children of process 5 (tool) without the recorder, "
               "or past the C library")
        for read, said in ((3000, []), (9000, [gap])):
            for n, app in enumerate(("sh", "tool")):
                self.log(app, 5, 1000, "%d:1000:0:0:0:0:0:0:0:0" % read, app=app,
                         generation=n)
            self.assertEqual(self.shown("made")[1], said)

    def test_children_have_logs_of_their_own(self):
        """A parent's count has those of its child, before its log as well; of a child
        that was killed only its events are known."""
        self.log("a", 5, 1000, "9000:701000:0:0:0:0:0:0:0:0")
        self.log("b", 6, 400000, "0:400000:0:0:0:0:0:0:0:0", "9000:20000", ppid=5)
        self.log("c", 7, 200000, None, "0:80000", ppid=5, state=RUNNING)
        seen, said = self.shown("made")
        self.assertEqual(seen, {"read": 1, "written": 1})
        self.assertEqual([s for s in said if "written" in s], [])

    def test_logs_that_do_not_tell(self):
        self.log("a", 5, 1000, "9000:701000:0:0:0:0:0")
        self.assertEqual(self.shown("made"), ({"read": None, "written": None}, []))
        self.assertIn("counts to compare with are missing",
                      self.iotrace("summary", "made"))

    def test_count_that_overflows(self):
        self.log("a", 5, 1000, ":".join([str(2 ** 63 - 1)] * 10), "0:%d" % 2 ** 62)
        self.assertEqual(self.shown("made")[0], {"read": None, "written": None})

    # ---- real programs ----

    def test_pipeline(self):
        """Pipes, the terminal's lines and files add up to the kernel's counts."""
        seen, said = self.run_of(
            "sh", "-c", "seq 30000 | sort -r | tee a | tail -5; cat a a > b; cat < b | "
            "wc -c; for i in 1 2 3; do echo $i; done")
        self.assertEqual(seen, {"read": 1, "written": 1}, said)

    def test_strings_to_a_pipe(self):
        """The bytes count of each function that writes a string, whose length it does
        not return."""
        write_file(self.path("lines.c"), """
#include <stdio.h>
int main(int n, char **arg)
{
    for (int i = 0; i < 9999; i++)
        if (n == 2 ? puts(arg[1]) < 0 : fputs(arg[1], stdout) < 0)
            return 1;
    return 0;
}
""")
        subprocess.run(("cc", "-o", self.path("lines"), self.path("lines.c")),
                       check=True)
        for arguments in ("text", "text -"):
            seen, said = self.run_of("sh", "-c", "./lines %s | wc -c; :" % arguments)
            self.assertEqual((seen["written"], said), (1, []), arguments)

    def test_child_that_is_killed(self):
        """Nobody knows what it passed over; that is no program without the recorder."""
        said = self.run_of("sh", "-c", "seq 99999 | sh -c 'cat; kill -9 $$' | wc; :")[1]
        self.assertEqual([s for s in said if "without the recorder" in s], [])

    def test_copies_and_streams(self):
        code = ("import os\n"
                "with open('a', 'wb') as f: f.write(b'x' * 300000)\n"
                "a, b = os.open('a', 0), os.open('b', os.O_CREAT | os.O_RDWR)\n"
                "os.sendfile(b, a, 0, 300000)\n"
                "os.copy_file_range(a, b, 200000, 0, 0)\n"
                "r, w = os.pipe()\n"
                "os.splice(a, w, 60000, 0)\n"
                "os.read(r, 60000)\n"
                "os.write(1, b'y' * 70000)\n"
                "if os.fork() == 0:\n"
                "    os.pread(a, 300000, 0)\n"
                "    os._exit(0)\n"
                "os.wait()\n")
        for mode in ("trace", "profile"):
            shutil.rmtree(self.path("job.1"), ignore_errors=True)
            self.iotrace("run", "-n", "job", "--mode", mode, "--", sys.executable, "-S",
                         "-c", code)
            said = json.loads(self.iotrace("summary", "--json", "-", "job.1"))
            self.assertEqual(said["seen"], {"read": 1, "written": 1}, said["unseen"])

    @unittest.skipUnless(os.uname().machine == "x86_64", "a program is made for x86-64")
    def test_program_without_the_recorder(self):
        """The kernel's count names it and its bytes, whoever starts it."""
        writer(self.path("writer"))
        for command in (["sh", "-c", "./writer; :"], ["env", "A=b", "./writer"]):
            seen, said = self.run_of(*command)
            self.assertLess(seen["written"], 0.01)
            self.assertEqual(said[0].split(" read and ")[-1],
                             "64.0 KiB written: writer ran without the recorder")

    def test_programs_that_it_starts(self):
        """The bytes of their logs, and the recorder's, are not missing elsewhere."""
        write_file(self.path("static.c"), """
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    static char bytes[51200];
    if (write(open("own", O_CREAT | O_WRONLY, 0600), bytes, sizeof bytes) < 0)
        return 1;
    if (!fork())
        execl("/bin/dd", "dd", "if=/dev/zero", "of=out", "count=8", (char *)0);
    wait(0);
    return 0;
}
""")
        subprocess.run(("cc", "-static", "-o", self.path("static"),
                        self.path("static.c")), check=True)
        self.assertEqual(self.run_of("./static")[1],
                         ["50.0 KiB written: by programs without the recorder"])


if __name__ == "__main__":
    main()
