"""The formats: each module declares its own (result.Format), and is named here."""
from leadline.base.errors import LeadlineError
from leadline.importing import darshan, dlio, elbencho, fio, h5bench, io500, ior, mdtest

MODULES = [ior, mdtest, fio, elbencho, io500, dlio, h5bench, darshan]
NAMES = sorted(set(form.name for module in MODULES for form in module.FORMATS))
KINDS = ["text", "darshan-parser text", "JSON", "CSV"]  # others come after them


class NoResult(LeadlineError):
    """A file that no format recognises, or that is no result."""


def rank(form):
    return KINDS.index(form.variant) if form.variant in KINDS else len(KINDS)


# The first format that recognises the file reads it.
TABLE = sorted((form for module in MODULES for form in module.FORMATS), key=rank)


def about():
    """Returns the formats as the manual lists them."""
    *first, last = [module.ABOUT for module in MODULES]
    return "%s and %s" % (", ".join(first), last)


def of(text, source, asked=None):
    """Returns the format of a text."""
    for found in TABLE:
        if asked in (None, found.name) and found.is_one(text):
            return found
    for other in [one for module in MODULES for one in getattr(module, "OTHERS", [])]:
        if other.is_one(text):
            kind = LeadlineError if other.is_result else NoResult
            raise kind("%s: %s" % (source, other.what), todo=other.todo)
    if '"leadline-report/' in text[:4096]:
        raise LeadlineError("%s: it is a Leadline report already" % source)
    if asked:
        raise LeadlineError("%s: it is not a result of %s in a form that this reads"
                            % (source, asked))
    raise NoResult("%s: it is not a result that can be imported, of %s"
                   % (source, ", ".join(NAMES)))
