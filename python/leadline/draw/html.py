"""Makes pages of HTML: elements, and a style for light, dark, narrow and printed pages.
Everything that is not Raw is escaped: no report can add an element.
"""
from html import escape
from typing import Any, Collection, Iterable, Optional, Sequence

from leadline.base.fields import printable
from leadline.draw import paint

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
PAGE = """
:root { color-scheme: light dark; --page: #ffffff; --text: #1a1a1a; --soft: #5c5c5c;
  --edge: #d9d9d9; --shade: #f4f5f6; --good: #00664a; --bad: #a33c00; --link: #0059a3; }
@media screen and (prefers-color-scheme: dark) {
:root { --page: #17191c; --text: #ececec; --soft: #a8a8a8; --edge: #3c3f44;
  --shade: #212429; --good: #4fd0a5; --bad: #ffa064; --link: #7cc4ff; }
}
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 56rem;
  padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--text); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
header p { margin: .3rem 0; } header figure { margin: .5rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
h2 { border-bottom: 1px solid var(--edge); margin: 2.5rem 0 .75rem;
  padding-bottom: .2rem; break-after: avoid; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; break-after: avoid; }
h1, h2, h3, p, li, dd, figcaption, caption, td.name {
  overflow-wrap: anywhere; }
a { color: var(--link); }
nav a { margin-right: 1rem; display: inline-block; }
.soft, figcaption, nav, footer { color: var(--soft); }
figcaption, footer, .small { font-size: .9rem; }
figure { margin: 0 0 2rem; break-inside: avoid; }
.wide { overflow-x: auto; }
.many { max-height: 32rem; overflow: auto; border: 1px solid var(--edge);
  padding: 0 .5rem; }
svg.chart { display: block; width: 100%; height: auto; }
.phone { display: none; }
.facets { display: grid; grid-template-columns: repeat(auto-fill, minmax(20.5rem, 1fr));
  gap: .5rem 1.5rem; }
.facets svg.chart, .phone svg.chart { max-width: 30rem; }
h4 { font-size: .9rem; margin: .5rem 0 0; }
table { border-collapse: collapse; font-size: .85rem; margin: .25rem 0 1rem; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; vertical-align: top;
  border-bottom: 1px solid var(--edge); }
th { color: var(--soft); font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
td.name, td.words, td.good, td.bad { min-width: 9rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.box { background: var(--shade); border-radius: .4rem; padding: .3rem 1rem; }
.box li { margin: .3rem 0; }
.box h3 { margin: .8rem 0 .2rem; }
.box ul { margin: .2rem 0 .8rem; padding-left: 1.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
@media screen and (max-width: 760px) {
.broad { display: none; } .phone { display: block; }
.facets { grid-template-columns: minmax(0, 1fr); }
table, caption, tbody, tr, td { display: block; }
thead { position: absolute; left: -9999px; }
tr { border-bottom: 1px solid var(--edge); padding: .3rem 0; }
td, td.n { border: none; padding: .1rem 0 .1rem 42%; text-align: left;
  white-space: normal; position: relative; min-height: 1.5em; min-width: 0;
  overflow-wrap: anywhere; }
td::before { content: attr(data-head); color: var(--soft); position: absolute; left: 0;
  width: 40%; }
dl { display: block; } dd { margin-bottom: .3rem; }
}
@media print {
details::details-content { content-visibility: visible; }
body { max-width: none; padding: 0; font-size: 10.5pt; }
nav { display: none; }
.box { background: none; border: 1px solid var(--edge); }
.wide, .many { overflow: visible; }
.many { max-height: none; border: none; padding: 0; }
.facets { grid-template-columns: 1fr 1fr; }
table { font-size: 7.5pt; } th, td { padding-right: .45rem; overflow-wrap: break-word; }
td.name, td.words, td.good, td.bad { min-width: 0; } tr { break-inside: avoid; }
a { color: inherit; text-decoration: none; }
}
"""


class Raw(str):
    """Text that is already HTML."""


def html(content: Any) -> str:
    return content if isinstance(content, Raw) else escape(printable(content))


def tag(name: str, *content: Any, **attributes: Any) -> Raw:
    shown = "".join(' %s="%s"' % (n.rstrip("_").replace("_", "-"), escape(printable(v)))
                    for n, v in attributes.items() if v is not None)
    return Raw("<%s%s>%s</%s>\n" % (name, shown, "".join(map(html, content)), name))


def items(sentences: Iterable[str]) -> Raw:
    return tag("ul", *[tag("li", s) for s in sentences])


def grid(header: Sequence[str], rows: Iterable[Sequence[Any]],
         numbers: Collection[int] = (), caption: Optional[str] = None) -> Raw:
    """Returns a table; `numbers`: right-aligned columns; a cell may be (words, class).
    Cells hold their column's heading, which a phone shows beside them."""
    def cell(kind: str, i: int, content: Any) -> Raw:
        words, css = content if isinstance(content, tuple) else (content, None)
        return tag(kind, words, class_=css or ("n" if i in numbers else None),
                   data_head=header[i] if kind == "td" else None)
    head = tag("thead", tag("tr", *[cell("th", i, h) for i, h in enumerate(header)]))
    body = tag("tbody", *[tag("tr", *[cell("td", i, c) for i, c in enumerate(row)])
                          for row in rows])
    title = tag("caption", caption) if caption else ""
    return tag("div", tag("table", Raw(title), head, body), class_="wide")


def section(key: str, heading: str, *content: Any) -> Raw:
    return tag("section", tag("h2", heading), *content, id=key)


def style() -> str:
    return PAGE + paint.style()


def document(title: str, body: Iterable[Any], more_style: str = "") -> str:
    """Returns the whole file, made of elements."""
    head = tag("head", Raw('<meta charset="utf-8">\n'
                           '<meta name="viewport" content="width=device-width">\n'
                           '<meta http-equiv="Content-Security-Policy" content="%s">\n'
                           % escape(POLICY)),
               tag("title", title), tag("style", Raw(style() + more_style)))
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", *body), lang="en")
