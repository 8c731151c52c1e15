"""The table of formats: how each is recognised, and the module that reads it."""
from collections import namedtuple

from leadline.base.errors import LeadlineError
from leadline.importing import darshan, dlio, elbencho, fio, h5bench, io500, ior, mdtest

# `is_one(text)`, and `read(text, source)`, which returns a list of Results.
Format = namedtuple("Format", "name variant is_one read")

# The first format that recognises the file reads it.
TABLE = [
    Format("ior", "text", ior.is_text, ior.read_text),
    Format("mdtest", "text", mdtest.is_text, mdtest.read),
    Format("darshan", "darshan-parser text", darshan.is_text, darshan.read),
    Format("ior", "JSON", ior.is_json, ior.read_json),
    Format("fio", "JSON", fio.is_json, fio.read),
    Format("elbencho", "JSON", elbencho.is_json, elbencho.read_json),
    Format("dlio", "JSON", dlio.is_json, dlio.read),
    Format("ior", "CSV", ior.is_csv, ior.read_csv),
    Format("elbencho", "CSV", elbencho.is_csv, elbencho.read_csv),
    Format("h5bench", "CSV", h5bench.is_csv, h5bench.read),
    Format("io500", "result_summary.txt", io500.is_summary, io500.read_summary),
    Format("io500", "result.txt", io500.is_result, io500.read_result),
]
NAMES = sorted(set(f.name for f in TABLE))


def of(text, source, asked=None):
    """Returns the format of a text."""
    for found in TABLE:
        if asked in (None, found.name) and found.is_one(text):
            return found
    if '"leadline-report/' in text[:4096]:
        raise LeadlineError("%s: it is a Leadline report already" % source)
    if asked:
        raise LeadlineError("%s: it is not a result of %s in a form that this reads"
                            % (source, asked))
    raise LeadlineError("%s: it is not a result that can be imported, of %s"
                        % (source, ", ".join(NAMES)))
