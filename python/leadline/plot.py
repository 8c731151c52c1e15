"""leadline plot: single pictures, as files."""
import os

from leadline import draw_file, gallery, one_figure, output
from leadline.errors import FAILED, LeadlineError, usage
from leadline.fields import printable


FIGURE = "figure"   # the WHAT that is followed by a NAME


def numbered(path, i):
    stem, end = os.path.splitext(path)
    return path if i == 0 else "%s-%d%s" % (stem, i + 1, end)


def main(args, where):
    draw_file.check(args.output)
    if args.what == FIGURE and len(args.paths) < 2:
        raise usage("figure needs the NAME of one and reports, as in leadline plot "
                    "figure read_p99_us runs")
    named = args.paths[:1] if args.what == FIGURE else []
    found = gallery.Gallery(args.paths[len(named):], where.folders)
    made = one_figure.draw(found.groups, named[0]) if named else found.pictures(
        args.what)
    if not made:
        raise LeadlineError("there is nothing to draw: %s needs other %s"
                            % (args.what, gallery.KINDS[args.what].of))
    for i, picture in enumerate(made):
        path = numbered(args.output, i)
        draw_file.draw(picture, path)
        output.say(printable("%s: %s" % (path, picture.title)) + "\n")
    return FAILED if found.failed else 0


def add(commands):
    p = commands.add_parser(
        "plot", help="single pictures of the report, as SVG, PNG or PDF",
        description="Draws one kind of the report's pictures: " + "; ".join(
            "%s (%s)" % (name, kind.heading[0].lower() + kind.heading[1:])
            for name, kind in gallery.KINDS.items())
        + "; or, with WHAT figure and a NAME before the reports, that figure of "
        "theirs, over what was swept. PNG and PDF need matplotlib. Where there are "
        "several pictures, the second goes to FILE-2, and so on.")
    p.add_argument("what", metavar="WHAT", choices=list(gallery.KINDS) + [FIGURE],
                   help="one of the kinds above, or figure NAME, as in figure "
                   "read_p99_us; NAME may be a pattern")
    p.add_argument("paths", metavar="RUN", nargs="+",
                   help="a JSON report, a run or log of iotrace, or a directory of "
                   "them")
    p.add_argument("-o", "--output", metavar="FILE", required=True,
                   help="the picture; its name ends in .svg, .png or .pdf")
    p.set_defaults(run=main)
