"""The man pages against --help: every option of one is in the other."""
import os
import re

from lint import BUILD, SRC, done, output, point, skip, text_of

PROGRAMS = {
    "blocktransfer": [[]],
    "gsfgen": [[]],
    "gsfinfo": [[]],
    "madbench": [[]],
    "iotrace": [[], ["run"], ["summary"], ["dump"], ["merge"], ["export"], ["compare"],
                ["ldad"], ["plot"], ["bins"], ["recover"]],
    "ldad": [[], ["info"], ["verify"], ["flatten"], ["cat"], ["rm"]],
    "ldad-perf": [["perf"], ["mandelbrot"], ["jacobi"], ["fft"]],
    "ldadc": [[], ["analyse"], ["check"], ["plan"], ["rewrite"], ["build"]],
    "pfminfo": [[]],
    "pfmload": [[]],
    "leadline": [[], ["compare"], ["sweep"], ["report"], ["plot"], ["list"],
                 ["validate"], ["calibrate"]],
}
WHERE = {"ldad-perf": "ldad", "leadline": "python/leadline/leadline"}
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\w])")


def in_help(program):
    """Options that the usage texts list: at the start of a line, "-n, --name=N"."""
    path = os.path.join(os.path.abspath(BUILD), WHERE.get(program, program))
    found = set()
    for words in PROGRAMS[program]:
        status, lines = output(path, *(words + ["--help"]))
        if status:
            return set(), "exit status %d: %s" % (status, lines[:1])
        for line in lines:
            # "  -n N, --name N   what it does": up to two blanks in a row
            match = re.match(r" {1,8}(-.*?)(  |$)", line.replace("[no-]", ""))
            found.update(OPTION.findall(match.group(1)) if match else [])
    return found, ""


def plain(page):
    """The page's text without its fonts and escapes, line by line."""
    page = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\&", "", page)
    return page.replace("\\-", "-").replace("[no-]", "").splitlines()


def mentioned(page):
    """Options that occur anywhere."""
    return set(OPTION.findall("\n".join(plain(page))))


def in_man(page):
    """Options that have a paragraph of their own: the lines after .TP and .TQ."""
    lines = plain(page)
    found = set()
    for before, line in zip(lines, lines[1:]):
        if before.startswith((".TP", ".TQ")):
            found.update(OPTION.findall(line.replace('"', " ")))
    return found


def check(program):
    name = "man/%s.1" % program
    there = os.path.exists(os.path.join(SRC, name))
    point(there, "%s is there" % name)
    helped, trouble = in_help(program)
    point(helped and not trouble, "%s --help lists options" % program, [trouble])
    if not there or not helped:
        return
    page = text_of(name)
    missing = sorted(helped - mentioned(page) - {"-h"})
    point(not missing, "every option of %s --help is in %s" % (program, name), missing)
    unknown = sorted(in_man(page) - helped - {"--help", "--version", "-h"})
    point(not unknown, "every option in %s is in --help" % name, unknown)


def main():
    for program in sorted(PROGRAMS):
        if program == "ldadc" and os.environ.get("HAVE_CLANG") != "yes":
            skip("man/ldadc.1", "ldadc was not built")
            continue
        check(program)
    done()


if __name__ == "__main__":
    main()
