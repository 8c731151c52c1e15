"""leadline import: the command."""
import os
import re
import sys

from leadline.base import fields, output
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.fields import printable
from leadline.base.options import operand, option
from leadline.importing import folder, formats
from leadline.importing.convert import check, exists, load, put, report, results, said


def places(found, source, args):
    """Returns the path of each report."""
    names = []
    for result in found:
        test = re.sub(r"[^A-Za-z0-9._+-]+", "_", result.test)[:80]
        names.append(os.path.join(args.out, "%s%s.json" % (
            source.stem, "-" + test if test else "")))
    return names


def refuse_others(paths, args):
    """Refuses to overwrite existing files, and in any case the input and reports that
    this command has made."""
    inputs = set(os.path.realpath(path) for path in args.files if path != "-")
    for path in paths:
        if os.path.realpath(path) in inputs:
            raise LeadlineError("%s: that is one of the files to read" % path,
                                todo="Say --out DIR")
        if path in args.made:
            raise LeadlineError("%s: another file of this command has made it" % path,
                                todo="Import each with its own --out DIR")
        if os.path.lexists(path) and not args.force:
            raise exists(path)


def bring_in(path, args):
    """Imports one file; returns whether all its tests were valid."""
    source = load(path)
    name, variant, found = results(path, source, args.format)
    trees = [report(result, source, (name, variant), i, args)
             for i, result in enumerate(found)]
    for tree in trees:
        check(tree, source)
    paths = places(found, source, args)
    refuse_others(paths, args)
    for place, tree in zip(paths, trees):
        put(place, tree, args.force)
        args.made.add(place)
        output.say(printable(said(place, tree)) + "\n")
    return all(tree["valid"] for tree in trees)


def main(args, where):
    check_options(args)
    good, args.made = True, set()
    for path in args.files:
        whole = folder.bring_in if os.path.isdir(path) else bring_in
        try:
            good = whole(path, args) and good
        except LeadlineError as why:
            sys.stderr.write("leadline import: %s\n" % printable(str(why)))
            good = False
        if args.round is not None:
            args.round += 1
    return 0 if good else FAILED


def check_options(args):
    if args.files.count("-") > 1:
        raise usage("standard input (-) can be read once")
    if args.series is None and (args.round is not None or args.config is not None):
        raise usage("--config and --round belong to --series ID")
    if args.start is not None and len(args.files) > 1:
        raise usage("--start is of one run, and there are %d files" % len(args.files))
    if args.start is not None and os.path.isdir(args.files[0]):
        raise usage("--start is of one run, and %s is a directory" % args.files[0])
    try:
        os.makedirs(args.out, exist_ok=True)
    except OSError as error:
        raise LeadlineError("%s: the directory cannot be made: %s"
                            % (args.out, error.strerror))


def moment(text):
    if not fields.KINDS["utc"][0](text):
        raise usage("%s is not a UTC time such as 2026-11-20T10:15:02Z"
                    % printable(text))
    return text


OPTIONS = [
    operand("FILE ...", "files",
            "a result (- is standard input), or a directory of results"),
    option("-o, --out DIR",
           "directory for the reports, which are named after the files (default: here)",
           "The directory for the reports. It is created if it does not exist. "
           "Default: the current directory.",
           default="."),
    option("--format", "the program that wrote the files (default: detected)",
           "The program that wrote the files: {choices}. Default: detected from the "
           "file.",
           choices=formats.NAMES),
    option("--ranks N", "the number of processes, if the file does not have it",
           "The number of processes. Needed if a file does not have it, such as "
           "result_summary.txt.",
           type=output.positive),
    option("--nodes N", "the number of nodes they ran on", type=output.positive),
    option("--start UTC",
           "when the run began, such as 2026-11-20T10:15:02Z, if the file has no time "
           "or no time zone",
           "When the run began, such as 2026-11-20T10:15:02Z, if the file has no time "
           "or no time zone. For one file.",
           type=moment),
    option("--host NAME", "the node, if there was one"),
    option("--fs TYPE", "the file system, such as lustre",
           "The type of the file system, such as lustre."),
    option("--label TEXT", "the reports' label",
           "The label of the reports. Reports of one label and program are repetitions "
           "of one configuration; without a label, and without `--series`, each report "
           "is a separate configuration."),
    option("--series ID", "the files are runs of an interleaved series",
           "The runs were interleaved with others of the series ID."),
    option("--config NAME",
           "their configuration in it (default: the file's name)",
           "Their configuration in that series. Default: the file's name."),
    option("--round N", "the first file's round; each further file is the next round",
           "The round of the first file; each further file is the next round. Runs of "
           "one round are compared pair by pair.",
           type=output.positive),
    option("--force", "replace reports that exist",
           "Replaces existing reports. Otherwise they are refused."),
]
VARIABLES = {
    "TZ": "The time zone of local times in results of other programs, for `leadline "
          "import`. Without it, they do not count.",
}


def add(commands):
    p = commands.add_parser(
        "import", help="convert results of IOR, fio and other programs into reports",
        description="Converts the results of other programs (%s) into reports, which "
                    "all other commands can read. What a file does not say is null "
                    "in its report, never a guess. Of a directory, all results are "
                    "taken once, files of IO500's phases as parts of their run, and a "
                    "table says what was not taken, and why."
                    % ", ".join(formats.NAMES))
    p.declare(OPTIONS)
    p.variables.update(VARIABLES)
    p.set_defaults(run=main)
