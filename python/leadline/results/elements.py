"""Elements of HTML. Whatever is not Raw is escaped: no report can add any."""
from html import escape

from leadline.results.report import printable


class Raw(str):
    """Text that is HTML already."""


def html(content):
    return content if isinstance(content, Raw) else escape(printable(content))


def tag(name, *content, **attributes):
    shown = "".join(' %s="%s"' % (n.rstrip("_").replace("_", "-"), escape(printable(v)))
                    for n, v in attributes.items() if v is not None)
    return Raw("<%s%s>%s</%s>\n" % (name, shown, "".join(map(html, content)), name))


def items(sentences):
    return tag("ul", *[tag("li", s) for s in sentences])


def grid(header, rows, numbers=(), caption=None):
    """A table; `numbers`: columns flushed right; a cell may be (words, class). Cells
    hold their column's heading: on a phone it stands beside them."""
    def cell(kind, i, content):
        words, css = content if isinstance(content, tuple) else (content, None)
        return tag(kind, words, class_=css or ("n" if i in numbers else None),
                   data_head=header[i] if kind == "td" else None)
    head = tag("thead", tag("tr", *[cell("th", i, h) for i, h in enumerate(header)]))
    body = tag("tbody", *[tag("tr", *[cell("td", i, c) for i, c in enumerate(row)])
                          for row in rows])
    title = tag("caption", caption) if caption else ""
    return tag("div", tag("table", Raw(title), head, body), class_="wide")
