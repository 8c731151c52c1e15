"""Common parts of the rigs: a command runs in something that is made for it, and undone
when the command ends, however it ends.

    def rig(args):                  makes it; runs args.command by run_command
        ...
    rig_main("disks", rig, args)    does not return

A rig's exit status is the command's, 128 + N if signal N ended it, 127 if there is no
such command, 2 for wrong options, 77 with a reason if such a rig is impossible, and 1
if something could not be undone. SIGTERM, SIGINT and SIGHUP are passed on to the
command, which is killed if it does not end; if the rig is killed, so is the command.
Remaining children of the command are killed, too.
"""
import ctypes
import os
import signal
import subprocess
import sys

IMPOSSIBLE, NO_COMMAND = 77, 127
GRACE_S = 20  # a Slurm ends in one, and on a busy machine in many times that
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x20000, 0x4000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
TEN_YEARS_S = 3e8
PASSED_ON = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
WATCHED = PASSED_ON | {signal.SIGCHLD}

libc = ctypes.CDLL(None, use_errno=True)
name = ["rig"]


class Impossible(Exception):
    """The reason why there can be no such rig here."""


def remark(text):
    print("%s: %s" % (name[0], text), file=sys.stderr)


def run(*line, **how):
    """Runs a tool; returns its output."""
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **how)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise Impossible("%s: %s" % (line[0], said or "failed"))
    return done.stdout.decode().strip()


def mount(source, target, kind=None, flags=0, data=None):
    words = [word and word.encode() for word in (source, target, kind, data)]
    if libc.mount(words[0], words[1], words[2], flags, words[3]):
        raise Impossible("%s cannot be mounted: %s"
                         % (target, os.strerror(ctypes.get_errno())))


def unshare(flags):
    """Makes private namespaces; nobody else sees their mounts."""
    if libc.unshare(flags):
        raise Impossible("no namespaces: " + os.strerror(ctypes.get_errno()))
    if flags & CLONE_NEWNS:
        mount("none", "/", flags=MS_REC | MS_PRIVATE)


def undo_failed(left):
    sys.exit("%s: something is left: %s" % (name[0], left))


# ---- the command -----------------------------------------------------------------


def die_with_rig():
    """Makes a child die with the rig, before it becomes another program."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)


def run_command(command, before_kill=lambda: None, **more):
    """Runs the command; returns its exit status; `more` is added to its environment."""
    try:
        child = subprocess.Popen(command, env=dict(os.environ, **more),
                                 preexec_fn=die_with_rig)
    except OSError as error:
        remark("%s: %s" % (command[0], error.strerror))
        return NO_COMMAND
    limit = TEN_YEARS_S
    while child.poll() is None:
        got = signal.sigtimedwait(WATCHED, limit)
        if not got:
            before_kill()
            child.kill()
        elif got.si_signo != signal.SIGCHLD:
            child.send_signal(got.si_signo)
            limit = GRACE_S
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def asked_to_end():
    """Returns the exit status if a signal came while the rig was made, else 0."""
    came = signal.sigpending() & PASSED_ON
    return 128 + min(came) if came else 0


def children():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as f:
                if int(f.read().rpartition(")")[2].split()[1]) == os.getpid():
                    yield int(pid)
        except OSError:
            pass  # it has just ended


def kill_children():
    """Kills all children; children of children become ours when their parents end."""
    while True:
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


# ---- the rig's two processes -----------------------------------------------------


def work(rig, args):
    """Works with signals blocked, also for the tools: none is lost or interrupts a
    step."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        return rig(args)
    except (OSError, Impossible) as error:
        remark(error)
        return IMPOSSIBLE


def rig_main(program, rig, args):
    """Runs a rig. A second process does the work, and ends in order if this one is
    killed."""
    name[0] = program
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    worker = os.fork()
    if not worker:
        sys.exit(work(rig, args))
    for number in PASSED_ON:
        signal.signal(number, lambda n, _frame: os.kill(worker, n))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    _, status = os.waitpid(worker, 0)
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status)
             else 128 + os.WTERMSIG(status))
