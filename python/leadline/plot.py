"""leadline plot: single pictures, as files."""
import os

from leadline import draw_file, gallery, output
from leadline.errors import FAILED, LeadlineError
from leadline.fields import printable


def numbered(path, i):
    stem, end = os.path.splitext(path)
    return path if i == 0 else "%s-%d%s" % (stem, i + 1, end)


def main(args, where):
    draw_file.check(args.output)
    found = gallery.Gallery(args.paths, where.folders)
    made = found.pictures(args.what)
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
        + ". PNG and PDF need matplotlib. Where there are several pictures, the second "
        "goes to FILE-2, and so on.")
    p.add_argument("what", metavar="WHAT", choices=list(gallery.KINDS),
                   help="one of the kinds above")
    p.add_argument("paths", metavar="RUN", nargs="+",
                   help="a JSON report, a run or log of iotrace, or a directory of "
                   "them")
    p.add_argument("-o", "--output", metavar="FILE", required=True,
                   help="the picture; its name ends in .svg, .png or .pdf")
    p.set_defaults(run=main)
