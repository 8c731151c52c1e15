"""The man pages, the completion and the yardstick against --help. Pages are made of
what --help is made of: they must have all of it, and no option by hand. mpi: any"""
import collections
import os
import re
import shutil

from lint import BUILD, done, output, point, programs, skip, text_of


def pages():
    """Returns {page: words before --help, for each text that the page covers}, and for
    pages with another name than the program's, the program."""
    found, where = {}, {"leadline": "python/leadline/leadline"}
    for name, _, _, commands in programs():
        own, *others = [words.split() for words in " ".join(commands).split("/")]
        found[name] = [[]] + [[word] for word in own]
        for words in others:
            page = name + "-" + words[0]
            found[page] = [[word] for word in words]
            where[page] = name
    return found, where


PROGRAMS, WHERE = pages()
GENERAL = {"--help", "--version", "-h"}
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\w])")


def path_of(program):
    return os.path.join(os.path.abspath(BUILD), WHERE.get(program, program))


def listed(program, words):
    """Returns the options in a usage text: at the start of a line, "-n, --name=N"."""
    status, lines = output(path_of(program), *(words + ["--help"]))
    # "  -n N, --name N   help": up to two blanks in a row
    found = [re.match(r" {1,8}(-.*?)(  |$)", line) for line in lines]
    return status, [match.group(1) for match in found if match] or lines[:1]


def in_help(program):
    """Returns the options in the usage texts."""
    found = set()
    for words in PROGRAMS[program]:
        status, texts = listed(program, words)
        if status:
            return set(), "exit status %d: %s" % (status, texts)
        found.update(OPTION.findall(" ".join(texts).replace("[no-]", "")))
    return found, ""


def plain(page):
    """Returns the page's text without its fonts and escapes, line by line."""
    page = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\&", "", page)
    return page.replace("\\-", "-").replace("[no-]", "").splitlines()


def in_man(page):
    """Returns options with a paragraph of their own, in the lines after .TP and .TQ,
    but for those of any program."""
    lines = plain(page)
    found = set()
    for before, line in zip(lines, lines[1:]):
        if before.startswith((".TP", ".TQ")) and re.match(r'(\.[BIR]+ )?"?-', line):
            found.update(OPTION.findall(line.replace('"', " ")))
    return found - GENERAL


def check(program):
    """Checks a page that the build made: @OPTIONS@ is where it must be."""
    source, made = "man/%s.1.in" % program, "%s/man/%s.1" % (
        os.path.abspath(BUILD), program)
    point(os.path.exists(made), "the page %s.1 was made" % program)
    if not os.path.exists(made):
        return
    helped, trouble = in_help(program)
    missing = sorted(helped - GENERAL - in_man(text_of(made)))
    point(helped and not missing, "every option of %s --help is in its page" % program,
          [trouble, missing])
    by_hand = in_man(text_of(source))
    point(not by_hand, "%s: options are written in tables only" % source, [by_hand])
    signs = re.findall(r"^.*(?<![\w*_.|/])[*_][a-z]+[*_].*$", text_of(made), re.M)
    point(not signs, "%s.1: all marks became fonts" % program, signs)


# ---- completion ----------------------------------------------------------------

COMPLETE = """. completion/leadline.bash
complete -p "${1##*/}" >/dev/null || exit
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_leadline
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(path, *words):
    """Returns Bash's completions of the last of the words."""
    status, lines = output("bash", "--norc", "-c", COMPLETE, "bash", path, *words)
    return sorted(line for line in lines if line) if status == 0 else lines


def offered(texts):
    """Returns all long options, also the second ones of --[no-]verify."""
    texts = " ".join(texts)
    found = OPTION.findall(texts.replace("[no-]", ""))
    found += ["--no-" + name for name in re.findall(r"--\[no-\]([a-z-]+)", texts)]
    return sorted(set(name for name in found if name.startswith("--")))


def check_completion(program, commands):
    """Checks `program` as it is called; `commands` are all lists of words before
    options."""
    for where, words in commands:
        path = os.path.join(os.path.dirname(path_of(where)), program)
        wanted, got = offered(listed(where, words)[1]), completed(path, *words, "--")
        point(wanted and got == wanted, "Bash completes the options of " +
              " ".join([program] + words), ["%s, but help has %s" % (got, wanted)])
    names = sorted(words[0] for _, words in commands if words)
    if names:
        got = completed(path, "")
        point(got == names, "Bash completes the commands of " + program,
              ["%s, not %s" % (got, names)])


def choices(lines):
    """Returns {option: its values} of a usage text: "--cache=POLICY  flush|keep;
    ..."."""
    found = {}
    for line in lines:
        match = re.match(r" {1,8}(?:-\w, )?--(?:\[no-\])?([a-z-]+)\[?=\S+ +"
                         r"([\w.-]+(?:\|[\w.-]+)+)", line)
        if match:
            found["--" + match.group(1)] = sorted(match.group(2).split("|"))
    return found


def check_choices(program, commands):
    wrong = []
    for where, words in commands:
        path = os.path.join(os.path.dirname(path_of(where)), program)
        lines = output(path_of(where), *words, "--help")[1]
        for name, wanted in choices(lines).items():
            got = completed(path, *words, name, "")
            wrong += ["%s: %s, not %s" % (name, got, wanted)] * (got != wanted)
    point(not wrong, "Bash completes the choices of " + program, wrong)


ARGUMENTS = (("blocktransfer", [], "--dir"), ("blocktransfer", [], "--json"),
             ("gsfgen", [], "--dir"), ("iotrace", ["run"], "-o"),
             ("pfmload", [], "-l"), ("leadline", ["sweep"], "--out"))


def check_arguments():
    """Directories are offered for DIR, and files for FILE, as help calls them."""
    for program, words, option in ARGUMENTS:
        wants_file = option in ("--json", "-l")
        folders = completed(path_of(program), *words, option, "tests/")
        got = any("." in os.path.basename(name) for name in folders)
        name = " ".join([program] + words)
        point("tests/lint" in folders and got == wants_file,
              "Bash completes %s of %s" % (option, name), folders)


def check_yardstick():
    """The last column of the yardstick's tables names options of the program that heads
    it."""
    named = collections.defaultdict(str)
    for table in re.findall(r"(?:^\|.*\n)+", text_of("doc/yardstick.md"), re.M):
        program, *cells = [row.rstrip(" |").rpartition("|")[2].strip()
                           for row in table.splitlines()]
        named[program] += " ".join(cells)
    for program, least in ("blocktransfer", 20), ("metabench", 8):
        found = set(re.findall(r"`(--[a-z-]+)", named.pop(program)))
        unknown = found - in_help(program)[0] - {"--no-verify"}
        point(len(found) > least and not unknown,
              "doc/yardstick.md names options that %s has" % program, [found, unknown])
    point(not named, "each table of doc/yardstick.md ends with one of these two",
          list(named))


def check_completions(names):
    if not shutil.which("bash"):
        skip("completion", "there is no Bash")
        return
    for program in names:
        commands = [(part, words) for part in names for words in PROGRAMS[part]
                    if part.split("-")[0] == program]
        if commands and "-" not in program:
            check_completion(program, commands)
            check_choices(program, commands)
    check_arguments()


def main():
    pages_there = sorted(PROGRAMS)
    if os.environ.get("HAVE_CLANG") != "yes":
        skip("man/ldadc.1 and its completion", "ldadc was not built")
        pages_there.remove("ldadc")
    for program in pages_there:
        check(program)
    check_completions(pages_there)
    check_yardstick()
    done()


if __name__ == "__main__":
    main()
