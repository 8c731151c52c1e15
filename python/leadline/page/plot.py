"""leadline plot: single pictures, as files."""
import os

from leadline.base import output
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.fields import printable
from leadline.draw import draw_file, draw_svg, relief
from leadline.page import gallery, one_figure


FIGURE = "figure"   # the WHAT that is followed by a NAME
RELIEF = "relief"   # the one that is of no reports


def numbered(path, i):
    stem, end = os.path.splitext(path)
    return path if i == 0 else "%s-%d%s" % (stem, i + 1, end)


def pictures(args, where):
    """(pictures, whether something that was named is not valid)"""
    if args.what == RELIEF:
        return relief.draw(args.paths), False
    if args.what == FIGURE:
        if len(args.paths) < 2:
            raise usage("figure needs the NAME of one and reports, as in leadline plot "
                        "figure W.read_p99_us runs")
        found = gallery.Gallery(args.paths[1:], where.folders)
        return one_figure.draw(found.groups, args.paths[0]), found.failed
    found = gallery.Gallery(args.paths, where.folders)
    return draw_svg.singles(found.pictures(args.what)), found.failed


def main(args, where):
    draw_file.check(args.output)
    made, failed = pictures(args, where)
    if not made:
        raise LeadlineError(gallery.missing(args.what))
    for i, picture in enumerate(made):
        path = numbered(args.output, i)
        draw_file.draw(picture, path)
        output.say(printable("%s: %s" % (path, picture.title)) + "\n")
    return FAILED if failed else 0


def add(commands):
    p = commands.add_parser(
        "plot", help="draw single pictures of the report, as SVG, PNG or PDF",
        description="Draws one kind of the report's pictures: " + "; ".join(
            "%s (%s)" % (name, kind.heading[0].lower() + kind.heading[1:])
            for name, kind in gallery.KINDS.items())
        + "; or, with WHAT figure and a NAME before the reports, that figure of "
        "theirs, over what was swept; or, with WHAT relief, what pfminfo --grid made. "
        "PNG and PDF need matplotlib. Where there are several pictures, the second "
        "goes to FILE-2, and so on.")
    p.add_argument("what", metavar="WHAT", choices=list(gallery.KINDS) + [
        FIGURE, RELIEF],
                   help="one of the kinds above, or figure NAME, for example figure "
                        "W.read_p99_us (NAME may be a pattern), or relief")
    p.add_argument("paths", metavar="RUN", nargs="+",
                   help="a JSON report, a run or log of iotrace, or a directory of "
                   "them")
    p.add_argument("-o", "--output", metavar="FILE", required=True,
                   help="the picture; its name ends in .svg, .png or .pdf")
    p.set_defaults(run=main)
