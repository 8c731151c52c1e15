"""Makes the wheel of leadline, as PEP 517 has it: for "pip install" of a checkout, or
of the release tarball. It needs nothing but Python's standard library, so pip needs no
network. The programs that leadline starts are not in it: it finds them on PATH.
"""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
METADATA = """Metadata-Version: 2.1
Name: leadline
Version: %s
Summary: Runs, compares and shows parallel-I/O benchmarks
License: BSD-3-Clause
Requires-Python: >=3.6
Provides-Extra: plot
Requires-Dist: matplotlib; extra == "plot"
Provides-Extra: parquet
Requires-Dist: pyarrow; extra == "parquet"
"""
WHEEL = """Wheel-Version: 1.0
Generator: leadline
Root-Is-Purelib: true
Tag: py3-none-any
"""
SCRIPTS = """[console_scripts]
leadline = leadline.__main__:start
"""


def version():
    with open(os.path.join(TOP, "configure.ac"), encoding="utf-8") as f:
        return re.search(r"AC_INIT\(\[leadline\], \[([^]]+)\]", f.read()).group(1)


def sources():
    """Returns [(name in the wheel, contents)] of the package."""
    found = []
    for folder, folders, names in os.walk(os.path.join(HERE, "leadline")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    found.append((os.path.relpath(path, HERE), f.read()))
    return found


def digest(data):
    sum_ = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + sum_.decode().rstrip("=")


def files(modules):
    """Returns [(name, contents)] of all files of the wheel with these modules."""
    info = "leadline-%s.dist-info" % version()
    found = modules + [("%s/%s" % (info, name), text.encode()) for name, text in (
        ("METADATA", METADATA % version()), ("WHEEL", WHEEL),
        ("entry_points.txt", SCRIPTS))]
    record = ["%s,%s,%d" % (name, digest(data), len(data)) for name, data in found]
    own = info + "/RECORD"
    return found + [(own, "\n".join(record + [own + ",,", ""]).encode())]


# ---- hooks of pip ---------------------------------------------------------------


def write_wheel(folder, modules):
    name = "leadline-%s-py3-none-any.whl" % version()
    with zipfile.ZipFile(os.path.join(folder, name), "w",
                         zipfile.ZIP_DEFLATED) as f:
        for path, data in files(modules):
            # reproducible: the same bytes from the same sources
            f.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data,
                       zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    # pylint: disable=unused-argument
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel for "pip install -e", whose modules are those of the checkout (PEP
    660)."""
    # pylint: disable=unused-argument
    return write_wheel(wheel_directory, [("leadline.pth", HERE.encode() + b"\n")])


def build_sdist(sdist_directory, config_settings=None):
    # pylint: disable=unused-argument
    raise SystemExit("leadline's source distribution is the suite's tarball: make dist")
