"""Files and programs in one line each, so that a test says what is in them and not how
they are opened."""
import contextlib
import json
import subprocess


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def read_text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read_json(path):
    return json.loads(read_text(path))


def write_file(path, content):
    """Writes text or bytes; returns the path."""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    with open(path, "wb") as f:
        f.write(raw)
    return path


def write_json(path, tree):
    return write_file(path, json.dumps(tree))


def write_at(path, place, raw):
    """Overwrites some bytes of a file."""
    with open(path, "r+b") as f:
        f.seek(place)
        f.write(raw)


@contextlib.contextmanager
def changed_json(path):
    """Lets a test change a file's tree."""
    tree = read_json(path)
    yield tree
    write_json(path, tree)


def run_text(words, **how):
    """Runs a program to its end. Its words, on stdout and on stderr, are text."""
    if "input" not in how:
        how.setdefault("stdin", subprocess.DEVNULL)
    how = dict({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                "universal_newlines": True}, **how)
    return subprocess.run(words, check=how.pop("check", False), **how)
