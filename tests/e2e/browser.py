"""Looks at a page in a real browser, if there is one, for faults that no reader of the
HTML sees. case.tmp is its working directory."""
import json
import os
import shutil
import subprocess
import tempfile
import time
from html import escape

from e2e import runner

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser",
                                               "google-chrome"))), None)

NARROWEST = 500  # pixels of a window; a narrower page is in a frame
SMALLEST = 11      # pixels, of text in pictures

# Runs in the page and finds elements that are wider than the page, beyond their
# picture, or over each other; elements cut unless one scrolls; and small texts of
# pictures.
LOOK = """
<script>
const faults = [], near = 3;
const root = document.documentElement;
const cut = (t) => t.textContent.slice(0, 40);
if (root.scrollWidth > root.clientWidth)
    faults.push("the page is " + root.scrollWidth + " wide, not " + root.clientWidth);
let texts = 0, pictures = 0;
const small = [], scrolled = [];
for (const box of document.querySelectorAll(".wide, .broad, .phone, .facets"))
    if (box.scrollWidth > box.clientWidth + 1)
        scrolled.push(box.className + ": " + cut(box));
for (const svg of document.querySelectorAll("svg.chart")) {
    const frame = svg.getBoundingClientRect();
    const all = [...svg.querySelectorAll("text")].map((t) => [t,
        t.getBoundingClientRect()]);
    if (frame.width == 0)
        continue;   // drawn for pages of another width
    pictures += 1;
    texts += all.length;
    const size = 12 * frame.width / svg.viewBox.baseVal.width;
    if (size < SMALLEST)
        small.push(svg.querySelector("title").textContent + ": " + size.toFixed(1));
    for (const [t, r] of all)
        if (r.left < frame.left - 1 || r.right > frame.right + 1 ||
            r.top < frame.top - 1 || r.bottom > frame.bottom + 1)
            faults.push("outside: " + cut(t));
    for (let i = 0; i < all.length; i++)
        for (let j = 0; j < i; j++) {
            const a = all[i][1], b = all[j][1];
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > near &&
                Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > near)
                faults.push("over each other: " + cut(all[i][0]) + " / " +
                            cut(all[j][0]));
        }
}
document.title = JSON.stringify({pictures, texts, faults, small, scrolled});
</script>
""".replace("SMALLEST", str(SMALLEST))

# A frame for a page that is narrower than a window can be.
FRAME = """<html><head><title></title></head><body style="margin: 0">
<iframe style="border: 0; width: %dpx; height: 900px" srcdoc="%s"></iframe>
<script>
const frame = document.querySelector("iframe");
frame.onload = () => { document.title = frame.contentDocument.title; };
</script></body></html>
"""


def look(case, page, width, *flags):
    """Returns the browser's findings; the page's policy makes way for the script."""
    with open(page, encoding="utf-8") as stream:
        text = stream.read()
    begin = text.index('<meta http-equiv="Content-Security-Policy"')
    text = text[:begin] + text[text.index("\n", begin):]
    looked = os.path.join(case.tmp, "looked.html")
    with open(looked, "w", encoding="utf-8") as stream:
        text = text.replace("</body>", LOOK + "</body>")
        stream.write(FRAME % (width, escape(text)) if width < NARROWEST else text)
    line = ["--window-size=%d,900" % max(width, NARROWEST), "--dump-dom", *flags,
            "file://" + looked]
    # on a busy machine it sometimes gives up without a message
    for attempt in range(3):
        out, said = browse(case.tmp, "browser%d" % attempt, line)
        if "<title>" in out:
            break
    case.assertIn("<title>", out, said)
    title = out[out.index("<title>") + 7:out.index("</title>")]
    return json.loads(title.replace("&quot;", '"').replace("&amp;", "&"))


def browse(folder, profile, line):
    """Returns the browser's output, and its messages. Its socket's path must be short:
    a test's folder can be too deep."""
    start = [BROWSER, "--headless", "--disable-gpu", "--no-first-run",
             "--disable-crash-reporter", "--disable-extensions",
             "--user-data-dir=" + os.path.join(folder, profile)]
    start += ["--no-sandbox"] if os.geteuid() == 0 else []
    sockets = tempfile.mkdtemp(dir="/tmp")
    try:
        child = subprocess.Popen(start + line, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE,
                                 env=dict(os.environ, HOME=folder, TMPDIR=sockets))
        out = [text.decode("utf-8", "replace")
               for text in child.communicate(timeout=90 * runner.SCALE)]
        settle()
    finally:
        shutil.rmtree(sockets, ignore_errors=True)
    return out


def settle():
    """The browser's helpers end a moment after it."""
    deadline = time.monotonic() + 5
    while len(runner.descendants()) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
        runner.reap()
