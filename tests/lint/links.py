# mpi: any
"""Links of the documentation: their files and headings exist, and the site has every
page. In the tier "full" the site is built, if mkdocs is installed."""
import os
import re
import shutil
import sys
import tempfile

from lint import BUILD, SRC, done, output, point, skip, text_of

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/RESULTS.md")
LINK = re.compile(r"!?\[[^]]*\]\(([^)\s]+)\)")


def pages():
    found = list(PAGES)
    for folder in ("doc", "examples"):
        found += sorted(folder + "/" + name
                        for name in os.listdir(os.path.join(SRC, folder))
                        if name.endswith(".md"))
    return found


def prose(name):
    """Returns a page without its examples."""
    return re.sub(r"^```.*?^```$|^    .*$|`[^`\n]*`", "", text_of(name),
                  flags=re.M | re.S)


def anchor(heading):
    """Returns Markdown's name of a heading."""
    words = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower())
    return words.replace(" ", "-")


def anchors(name):
    return {anchor(heading)
            for heading in re.findall(r"^#+ (.*)$", text_of(name), re.M)}


def broken(name):
    """Returns links of a page that lead nowhere."""
    found = []
    for link in LINK.findall(prose(name)):
        path, _, part = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)
                                  if path else name)
        if not os.path.exists(os.path.join(SRC, target)):
            found.append("%s: there is no %s" % (name, target))
        elif part and part not in anchors(target):
            found.append("%s: %s has no heading #%s" % (name, target, part))
    return found


def named(name):
    """Returns pages that are named without a link, as `method.md`, and do not exist."""
    return ["%s: there is no %s" % (name, page)
            for page in re.findall(r"`(?:doc/)?([a-z-]+\.md)`", text_of(name))
            if not any(os.path.exists(os.path.join(SRC, folder, page))
                       for folder in ("doc", ".", "examples"))]


def check_site():
    listed = set(re.findall(r"(\S+\.md)$", text_of("mkdocs.yml"), re.M))
    missing = set(pages()) ^ (listed - {"man/index.md"})
    point(not missing, "the site's contents are all pages", sorted(missing))
    if os.environ.get("LEADLINE_TIER") != "full":
        skip("the site is built", "it is of the tier full")
    elif not shutil.which("mkdocs") or not shutil.which("man"):
        skip("the site is built", "there is no mkdocs, or no man")
    else:
        os.environ["BUILD"] = os.path.abspath(BUILD)
        with tempfile.TemporaryDirectory() as out:
            status, lines = output(sys.executable, "scripts/site", out)
            built = os.path.exists(os.path.join(out, "html", "man", "madbench.1.html"))
            point(status == 0 and built, "the site is built", lines[-30:])


def main():
    faults = [fault for name in pages() for fault in broken(name) + named(name)]
    point(not faults, "links lead somewhere", faults)
    check_site()
    done()


if __name__ == "__main__":
    main()
