"""The common part of the tests of leadline: a command, and a folder of reports."""
import contextlib
import io
import os
import shutil
import tempfile
import unittest

from fake_report import save
from leadline.commands import cli

NOBODY = 65534
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0]


def leadline(*args):
    """Returns (exit status, stdout, stderr) of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = cli.main(list(args))
        except SystemExit as leave:  # --help
            status = leave.code
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def without_privileges():
    """Becomes another user meanwhile, as root may read everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


class LeadlineCase(unittest.TestCase):
    COMMAND = ""

    def setUp(self):
        self.dir = tempfile.mkdtemp()
        os.chmod(self.dir, 0o755)
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def save(self, tree, name="a.json"):
        return save(self.dir, name, tree)

    def run_command(self, *args, status=0):
        """Returns stdout of a command that prints no messages."""
        got, out, err = leadline(self.COMMAND, *args)
        self.assertEqual((got, err), (status, ""))
        return out

    def refused(self, sentence, *args, status=1):
        """Returns its one sentence; there is nothing on stdout."""
        got, out, err = leadline(self.COMMAND, *args)
        self.assertEqual(got, status, err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(sentence, err)
        self.assertEqual(out, "")
        return err
