"""Debian source packages, and the C files in them that do MPI-IO.

The system's own list of packages stays as it is: apt is given a configuration of its
own, in the folder where the sources are kept."""
import glob
import hashlib
import os
import re
import subprocess

USES = re.compile(r"\bMPI_File_(open|seek|i?read|i?write)\w*\s*\(")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
DEFINES_MPI = re.compile(r"^(int )?MPI_File_\w+\([^;]*\)\s*\{", re.M)
# What configure finds here, of what headers cannot do without.
SIZES = {"CHAR": 1, "SHORT": 2, "INT": 4, "LONG": 8, "LONG_LONG": 8, "FLOAT": 4,
         "DOUBLE": 8, "LONG_DOUBLE": 16, "SIZE_T": 8, "SSIZE_T": 8, "OFF_T": 8,
         "INT8_T": 1, "INT16_T": 2, "INT32_T": 4, "INT64_T": 8, "UINT8_T": 1,
         "UINT16_T": 2, "UINT32_T": 4, "UINT64_T": 8, "VOID_P": 8, "MPI_OFFSET": 8,
         "PTRDIFF_T": 8, "UNSIGNED_INT": 4, "UNSIGNED_LONG": 8}
VALUES = {"STDC_HEADERS": "1", "THREAD_PACKAGE_NAME": "THREAD_PACKAGE_POSIX"}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def codename():
    with open("/etc/os-release") as f:
        return re.search(r"^VERSION_CODENAME=(\w+)", f.read(), re.M).group(1)


class Apt:
    def __init__(self, folder, mirror, suite):
        self.log = os.path.join(folder, "log")
        lists = os.path.join(folder, "lists")
        os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
        os.makedirs(os.path.join(folder, "cache", "archives", "partial"), exist_ok=True)
        names = os.path.join(folder, "sources.list")
        with open(names, "w") as f:
            f.write("deb-src [signed-by=%s] %s %s main\n" % (KEYRING, mirror, suite))
        self.options = ["-o", "Dir::Etc::sourcelist=" + names,
                        "-o", "Dir::Etc::sourceparts=-",
                        "-o", "Dir::State::lists=" + lists,
                        "-o", "Dir::Cache=" + os.path.join(folder, "cache")]

    def run(self, *command, cwd=None):
        with open(self.log, "a") as log:
            return subprocess.call(["apt-get", *self.options, *command], stdout=log,
                                   stderr=log, stdin=subprocess.DEVNULL, cwd=cwd) == 0

    def update(self):
        return self.run("update")

    def source(self, package, folder):
        """Unpacks it below folder, unless it is there; whether it is."""
        if not glob.glob(os.path.join(folder, "*", "debian")):
            os.makedirs(folder, exist_ok=True)
            self.run("source", "--only-source", package, cwd=folder)
        return bool(glob.glob(os.path.join(folder, "*", "debian")))


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def is_mpi_itself(path):
    """Whether it is a part of an MPI library, and no program."""
    text = text_of(path)
    return bool(DEFINES_MPI.search(text)) or "FORTRAN_API" in text \
        or "MPI_Fint" in text and "/mpif" in path


def value_of(macro):
    """What configure would define a macro as; None: it is not known."""
    header = re.match(r"(?:\w+_)?HAVE_(\w+)_H$", macro)
    size = re.match(r"(?:\w+_)?SIZEOF_(\w+)$", macro)
    if header:
        name = header.group(1).lower()
        names = ("/usr/include/%s.h" % name,
                 "/usr/include/%s.h" % name.replace("_", "/", 1))
        return "1" if any(map(os.path.exists, names)) else None
    if size:
        return str(SIZES[size.group(1)]) if size.group(1) in SIZES else None
    return VALUES.get(macro)


def configured(template):
    def define(found):
        known = value_of(found.group(1))
        return "#define %s %s" % (found.group(1), known) if known else ""
    text = re.sub(r"^#[ \t]*undef[ \t]+(\w+).*$", define, template, flags=re.M)
    text = re.sub(r"^#[ \t]*cmakedefine.*$", "", text, flags=re.M)
    return re.sub(r"@\w+@", "1", text)


class Tree:
    """The files of one package."""

    def __init__(self, folder, stubs):
        self.folder, self.stubs = folder, stubs
        self.headers, self.templates, self.sources = {}, {}, []
        for at, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(at, name)
                if name.endswith(".h"):
                    self.headers.setdefault(name, []).append(path)
                elif name.endswith(".h.in"):
                    self.templates.setdefault(name[:-3], []).append(path)
                elif name.endswith(".c") and os.path.isfile(path):
                    self.sources.append(path)

    def users(self, all_of_them):
        """Sources that do MPI-IO, or all; of files with the same text, one."""
        seen, found = set(), []
        for path in sorted(self.sources):
            text = text_of(path)
            digest = hashlib.sha256(text.encode()).digest()
            if (all_of_them or USES.search(text)) and digest not in seen:
                seen.add(digest)
                found.append(path)
        return found

    def nearest(self, name, of):
        """The header that is meant: of those that end so, the one that shares most of
        its path with the file that includes it."""
        paths = [p for p in self.headers.get(os.path.basename(name), [])
                 if p.endswith(os.sep + name)]
        return max(paths, default=None,
                   key=lambda p: len(os.path.commonpath([p, of])))

    def made(self, name):
        """What configure would have made of a template, as far as can be told."""
        for template in self.templates.get(os.path.basename(name), [])[:1]:
            path = os.path.join(self.stubs, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(configured(text_of(template)))
            return path
        return None

    @staticmethod
    def installed(name):
        """What configure made of a template when the installed package was built."""
        found = glob.glob("/usr/include/*/" + name) \
            + glob.glob("/usr/include/*/*/" + name)
        return min(found, default=None) if re.search(r"\wconf", name) else None

    def include_flags(self, source):
        """-I for what the source includes, directly or not, of its own package."""
        folders, todo, seen = [], [source], {source}
        while todo:
            path = todo.pop(0)
            for name in INCLUDE.findall(text_of(path)):
                beside = os.path.join(os.path.dirname(path), name)
                if name == "mpi.h" or (not os.path.exists(beside) and
                                       os.path.exists("/usr/include/" + name)):
                    continue
                found = beside if os.path.exists(beside) else \
                    self.nearest(name, source) or self.installed(name) or \
                    self.made(name)
                if not found or found in seen:
                    continue
                seen.add(found)
                todo.append(found)
                folder = found[:-len(name)].rstrip(os.sep)
                if found != beside and folder not in folders:
                    folders.append(folder)
        return ["-I" + folder for folder in folders]
