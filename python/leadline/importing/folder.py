"""leadline import FOLDER: all results below a folder, none of them twice.

A result is taken, or is a part of one that was taken, or is named with the reason.
"""
import argparse
import os
import re
import stat
from collections import OrderedDict

from leadline.base import output, table
from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.importing import formats, io500_run
from leadline.importing.convert import check, load, made_from, put, report, results
from leadline.importing.darshan import is_log
from leadline.importing.formats import NoResult

HEAD = 1 << 20      # bytes of a file in which its form must show
FEW = 4             # kinds of files that are no results, in the last line


def without(path, why):
    """Returns a message without the file's name, which the table has."""
    return re.sub(r"^%s:(\d+: )? ?" % re.escape(path),
                  lambda found: "line " + found.group(1) if found.group(1) else "",
                  str(why))


class Item:
    """A file that was read. `name`: its path in the folder."""

    def __init__(self, name, source, form, found):
        self.name = name
        self.source = source
        self.form = form
        self.results = found


class Folder:
    def __init__(self, top, args):
        self.top = top
        self.args = argparse.Namespace(**dict(vars(args), ranks=None))
        self.ranks = args.ranks         # of results that do not tell
        self.contents = {}              # hash -> name of the first file
        self.groups = []                # of IO500, IOR and mdtest: (Items, extras)
        self.runs = []                  # of IO500: (name, Result)
        self.taken = []                 # rows of the table
        self.left = []
        self.others = OrderedDict()     # kind of file -> number
        self.valid = 0

    def bring_in(self):
        own = os.path.realpath(self.args.out)
        for at, folders, names in os.walk(self.top, onerror=self.no_folder):
            folders[:] = [name for name in sorted(folders) if not name.startswith(".")
                          and os.path.realpath(os.path.join(at, name)) != own]
            for name in filter(self.leads_out, (os.path.join(at, n) for n in folders)):
                self.leave(os.path.relpath(name, self.top),
                           "a link to a directory elsewhere: import that one")
            if os.path.realpath(at) != own or at == self.top:
                self.one_folder(at, sorted(names))
        for held, extras in sorted(self.groups, key=io500_run.tells):
            self.io500(held, extras)

    def one_folder(self, at, names):
        """Takes the files of one folder, IO500's and those of its phases together."""
        held, extras = [], []
        for name in names:
            path = os.path.join(at, name)
            inner = os.path.relpath(path, self.top)
            item = self.read(path, inner, extras)
            if item is None:
                continue
            if item.form[0] in io500_run.TOOLS:
                held.append(item)
            else:
                self.take(item)
        if held:
            self.groups.append((held, extras))
        for name, _ in extras if not held else []:
            self.no_result(os.path.basename(name))

    def read(self, path, name, extras):
        """Returns an Item; None if the file is no result."""
        base = os.path.basename(name)
        try:
            about = os.stat(path)
            if base.startswith(".") or not stat.S_ISREG(about.st_mode) \
                    or not about.st_size:
                self.no_result(base)
                return None
            source = load(path)
            tool, variant, found = self.results(path, source)
        except NoResult:
            if base in io500_run.EXTRAS:
                extras.append((name, source))
            else:
                self.no_result(base)
            return None
        except LeadlineError as why:
            self.leave(name, without(path, why))
            return None
        except OSError as why:
            self.leave(name, "cannot be read: %s" % why.strerror)
            return None
        return Item(name, source._replace(data=None), (tool, variant), found)

    def leads_out(self, path):
        top = os.path.join(os.path.realpath(self.top), "")
        return os.path.islink(path) and not os.path.join(
            os.path.realpath(path), "").startswith(top)

    def no_folder(self, why):
        self.leave(os.path.relpath(why.filename, self.top),
                   "the directory cannot be read: %s" % why.strerror)

    def results(self, path, source):
        """Does not search large files to their ends."""
        if len(source.data) > HEAD and not is_log(source.data):
            formats.of(source.data[:HEAD].decode("utf-8", "replace"), source.name)
        return results(path, source, self.args.format)

    def no_result(self, base):
        kind = os.path.splitext(base)[1] or base
        self.others[kind] = self.others.get(kind, 0) + 1

    def leave(self, name, why):
        self.left.append([printable(name), printable(why)])

    def is_copy(self, item):
        first = self.contents.setdefault(item.source.sha256, item.name)
        if first != item.name:
            self.leave(item.name, "a copy of %s" % first)
        return first != item.name

    def take(self, item):
        """Writes the reports of a file."""
        if self.is_copy(item):
            return
        try:
            trees = [self.tree(item, i) for i in range(len(item.results))]
        except LeadlineError as why:
            self.leave(item.name, without(item.source.name, why))
            return
        paths = [self.place(item, result.test) for result in item.results]
        there = [path for path in paths if os.path.lexists(path)]
        if there and not self.args.force:
            self.leave(item.name, "its report exists: %s. Say --force to replace it, "
                       "or --out DIR" % there[0])
            return
        for path, tree in zip(paths, trees):
            put(path, tree, self.args.force)
            self.valid += tree["valid"]
            self.row(path, item, tree)
        if self.args.round is not None:
            self.args.round += 1

    def tree(self, item, i):
        result = item.results[i]
        result.ranks = result.ranks or self.ranks
        tree = report(result, item.source, item.form, i, self.args)
        check(tree, item.source)
        return tree

    def place(self, item, test):
        """Returns a report's path, made of the file's path in the folder, and of a
        number if the name is that of another file's report, or of no report."""
        words = os.path.splitext(item.name)[0].replace(os.sep, "-")
        words += "-" + test if test else ""
        stem = re.sub(r"[^A-Za-z0-9._+-]+", "_", words)[-150:].lstrip("-.") or "result"
        path, n = os.path.join(self.args.out, stem + ".json"), 1
        ours = {printable(item.source.name), item.source.sha256}
        while path in self.args.made or (os.path.lexists(path)
                                         and not ours & set(made_from(path))):
            n += 1
            path = os.path.join(self.args.out, "%s.%d.json" % (stem, n))
        self.args.made.add(path)
        return path

    def row(self, path, item, tree):
        run, parts = tree["run"], tree["run"]["imported"].get("parts", [])
        self.taken.append([
            printable(item.name), printable(os.path.basename(path)),
            run["program"] + (" " + run["version"] if run["version"] else ""),
            str(tree["mpi"]["ranks"] or "-"), str(len(tree["figures"])),
            str(len(parts) or "-"),
            "" if tree["valid"] else "not valid: " + tree["why"]])

    # ---- IO500 -------------------------------------------------------------------

    def io500(self, held, extras):
        """Takes runs, each with the files of its phases, and then what is no part."""
        runs, here = io500_run.in_order(held), []
        for item in runs:
            run = item.results[0]
            twin = io500_run.twin(run, self.runs)
            if twin:
                if not self.is_copy(item):
                    self.leave(item.name, "the same run as %s" % twin[0])
                here.append((twin[1], None))
            else:
                here.append((run, item))
                self.contents.setdefault(item.source.sha256, item.name)
                self.runs.append((item.name, run))
        parts = [item for item in held if item not in runs]
        rest = [item for item in parts if not self.is_part(item, here, parts)]
        for name, source in extras:
            if not any(item and io500_run.take_extra(run, name, source)
                       for run, item in here):
                self.no_result(os.path.basename(name))
        for item in [item for _, item in here if item] + rest:
            self.take(item)

    def is_part(self, item, here, parts):
        """Links a phase's file with its run. CSV of ranks beside the text tell of the
        same transfers."""
        for run, owner in here:
            if io500_run.agrees(run, item):
                if self.is_copy(item):
                    pass
                elif owner:
                    io500_run.link(run, item)
                else:
                    self.leave(item.name, "a phase of a run that is there twice")
                return True
        text = io500_run.text_beside(item, parts)
        if text:
            self.leave(item.name, "the ranks of %s" % text.name)
        return bool(text)

    # ---- the answer --------------------------------------------------------------

    def said(self):
        words = ""
        if self.taken:
            words += table.text(["taken", "report", "program", "ranks", "figures",
                                 "parts", ""], self.taken, (3, 4, 5)) + "\n"
        if self.left:
            words += table.text(["not taken", "why"], self.left) + "\n"
        return words + "%s in %s; %s not taken; %s\n" % (
            table.plural(len(self.taken), "report"), printable(self.args.out),
            table.plural(len(self.left), "result"), self.other_files())

    def other_files(self):
        n = sum(self.others.values())
        most = sorted(self.others.items(), key=lambda pair: -pair[1])[:FEW]
        return "%s no result%s" % (
            table.plural(n, "file is", "files are"), " (%s)" % ", ".join(
                "%d %s" % (n, printable(kind)) for kind, n in most) if most else "")


def bring_in(top, args):
    """Imports a folder; returns whether a report at least is valid."""
    found = Folder(top, args)
    found.bring_in()
    if not found.taken and not found.left:
        raise LeadlineError("%s: there is no result below this directory" % top)
    output.say(found.said())
    return found.valid > 0
