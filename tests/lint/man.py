"""The man pages against --help: every option of one is in the other."""
import os
import re

from lint import BUILD, SRC, done, output, point, text_of

PROGRAMS = {
    "blocktransfer": [[]],
    "madbench": [[]],
    "leadline": [[], ["compare"], ["sweep"]],
}
WHERE = {"leadline": "python/leadline/leadline"}
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
            match = re.match(r"\s+(-.*?)(\s{2,}|$)", line.replace("[no-]", ""))
            found.update(OPTION.findall(match.group(1)) if match else [])
    return found, ""


def in_man(page):
    """Options that have a paragraph: in the line after .TP, or in .IP and .It."""
    found = set()
    after_tp = False
    for line in page.replace("\\-", "-").replace("[no-]", "").splitlines():
        line = re.sub(r"\\f(\(..|.)|\\&", "", line) if after_tp else line
        if after_tp or line.startswith((".IP", ".It")):
            # before the first blank that ends "-n, --name=N"
            found.update(OPTION.findall(re.sub(r'^\.\w+ |"', "", line)))
        after_tp = line.startswith((".TP", ".TQ"))
    return found


def check(program):
    name = "man/%s.1" % program
    there = os.path.exists(os.path.join(SRC, name))
    point(there, "%s is there" % name)
    helped, trouble = in_help(program)
    point(helped and not trouble, "%s --help lists options" % program, [trouble])
    if not there or not helped:
        return
    described = in_man(text_of(name))
    missing = sorted(helped - described)
    point(not missing, "every option of %s --help is in %s" % (program, name), missing)
    unknown = sorted(described - helped)
    point(not unknown, "every option in %s is in --help" % name, unknown)


def main():
    for program in sorted(PROGRAMS):
        check(program)
    done()


if __name__ == "__main__":
    main()
