# mpi: any
"""The recipes of Spack, EasyBuild and a container, and Debian's packages, compared with
the suite: options of configure, the version, every program."""
import fnmatch
import glob
import itertools
import os
import re
import sys
import types

from lint import SRC, done, point, programs, text_of, workloads

RECIPE = "packaging/spack/package.py"
WIDTH = 99  # columns, as for "spack style"


def matching(*parts):
    """Returns files of the sources."""
    return [os.path.relpath(path, SRC) for path in glob.glob(os.path.join(SRC, *parts))]


def known():
    """Returns names of configure's --with-NAME, and its variables."""
    texts = [text_of(name) for name in matching("m4", "ll_*.m4")]
    found = [re.findall(r"AC_ARG_%s\(\[(\w+)\]" % kind, "\n".join(texts))
             for kind in ("WITH", "VAR")]
    return set(found[0]), set(found[1])


# ---- Spack ---------------------------------------------------------------------


class Anything(str):
    """A package of Spack's that has every requested attribute."""

    def __getattr__(self, name):
        return Anything("%s.%s" % (self, name))

    def join(self, name):
        return Anything("%s/%s" % (self, name))


class Spec:
    """The chosen variants and packages of an installation."""

    def __init__(self, chosen):
        self.chosen, self.asked = chosen, set()

    def __contains__(self, words):
        return words.lstrip("+") in self.chosen

    def __getitem__(self, package):
        self.asked.add(package)
        return Anything(package)


class AutotoolsPackage:
    def with_or_without(self, name, variant=None):
        on = (variant or name) in self.spec.chosen
        return ["--%s-%s" % ("with" if on else "without", name)]


class Recipe:
    """The recipe, executed with these replacements for Spack's names."""

    def __init__(self, of="spack.package"):
        self.variants, self.needs = [], []
        spack = types.ModuleType("spack.package")
        modules = {"spack": types.ModuleType("spack"), "spack.package": spack}
        for n in range(2, of.count(".") + 2):  # packages around a module
            name = ".".join(of.split(".")[:n])
            modules.setdefault(name, types.ModuleType(name))
        modules.setdefault(of.split(".")[0], types.ModuleType("spack_repo"))
        modules[of].AutotoolsPackage = AutotoolsPackage
        spack.Executable = spack.license = spack.version = lambda *a, **k: None
        spack.variant = lambda name, **k: self.variants.append(name)
        spack.depends_on = lambda what, **k: self.needs.append((what, k.get("when")))
        sys.modules.update(modules)
        names = {}
        exec(compile(text_of(RECIPE), RECIPE, "exec"), names)
        self.package = names["Leadline"]()

    def arguments(self, chosen):
        """Returns the arguments of configure, and the packages that they come from."""
        self.package.spec = Spec(chosen)
        return self.package.configure_args(), self.package.spec.asked

    def given(self, chosen):
        """Returns names of packages that the recipe says exist."""
        return set(re.match(r"[\w-]+", what).group() for what, when in self.needs
                   if when is None or when.lstrip("+") in chosen)


def check_recipe():
    options, variables = known()
    # Package API 2 has build systems in another module; the order matters, as modules
    # stay.
    recipe = Recipe()
    Recipe("spack_repo.builtin.build_systems.autotools")
    wrong, unknown, missing = [], set(), set()
    for n in range(len(recipe.variants) + 1):
        for chosen in itertools.combinations(recipe.variants, n):
            words, asked = recipe.arguments(chosen)
            missing |= asked - recipe.given(chosen)
            names = [w.split("=")[0] for w in words]
            unknown |= set(name for name in names if name[0] != "-") - variables - {
                "CC", "HDF5_CFLAGS", "HDF5_LIBS"}
            named = [re.sub("^--with(out)?-", "", name) for name in names
                     if name[0] == "-"]
            wrong += [chosen] if sorted(named) != sorted(options) or sum(
                name.startswith("--with-") for name in names) != n else []
    point(not wrong, "Spack's recipe says what every option of configure is to be",
          wrong[:3])
    point(not unknown, "it sets no variables but configure's", unknown)
    point(not missing, "it depends on what it asks for", missing)
    when = set(when.lstrip("+") for _, when in recipe.needs if when)
    point(when == set(recipe.variants), "every variant needs something, and is one",
          when ^ set(recipe.variants))
    long = [line for line in text_of(RECIPE).splitlines() if len(line) > WIDTH]
    point(not long, "its lines are not longer than Spack's style has them", long)


# ---- EasyBuild, containers, and versions ----------------------------------------


def check_others():
    """Checks that their options of configure exist, or are known ones."""
    options, _ = known()
    recipe = text_of(glob.glob(os.path.join(SRC, "packaging/easybuild/*.eb"))[0])
    named = re.findall(r"--with(?:out)?-(\w+)", recipe)
    point(sorted(named) == sorted(options),
          "EasyBuild's recipe says what every option of configure is to be",
          set(named) ^ options)
    named = re.findall(r"--with(?:out)?-(\w+)",
                       text_of("packaging/container/Containerfile"))
    point(named and set(named) <= options, "the container's options are configure's",
          named)
    left_out = text_of(".dockerignore").split("\n")
    point("build" in left_out and "config.status" in left_out,
          "the container's recipe copies no build", left_out)


def check_versions():
    version = re.search(r"AC_INIT\(\[leadline\], \[([^]]*)\]", text_of("configure.ac"))
    version = version.group(1)
    for what, holds in (
            ("Debian's", debian("changelog").startswith("leadline (%s-" % version)),
            ("NEWS'", text_of("NEWS").startswith("Leadline %s" % version)),
            ("CITATION.cff's", 'version: "%s"' % version in text_of("CITATION.cff")),
            ("EasyBuild's", any("version = '%s'" % version in text_of(name)
                                for name in matching("packaging/easybuild",
                                                     "leadline-%s-*.eb" % version)))):
        point(holds, "%s version is that of configure.ac" % what, [version])


# ---- Debian --------------------------------------------------------------------


def debian(name):
    return text_of("packaging/debian/" + name)


def check_rules(rules):
    unsaid = [name for name in known()[0] if "--with-" + name not in rules]
    point(not unsaid, "Debian's rules ask for every optional part", unsaid)


def check_registry():
    """Checks programs.def against what the folders build."""
    found = [re.findall(r"^bin_PROGRAMS \+= (.*)", text_of(name), re.M)
             for name in matching("src", "*", "local.mk")]
    built = sorted(" ".join(sum(found, [])).split())
    listed = sorted(name for name, kind, _, _ in programs() if kind != "Python")
    point(built == listed, "programs.def lists every program", [built, listed])
    mk = [line.split() for line in text_of("programs.mk").splitlines()]
    links = [words[2:] for words in mk if words[:1] == ["COMPLETION_LINKS"]]
    point(links == [listed], "and so does what bootstrap made of it", links)


def check_pages():
    """Checks that pages of programs built twice are in the package that both need."""
    listed = debian("leadline-common.install") + debian("leadline-tools.install")
    own = [name for name, _, _, _ in programs("MPI", "serial", "Python")]
    own += ["%s-%s" % (name, workload) for name in own for workload in workloads(name)]
    missing = [name for name in own
               if not any(fnmatch.fnmatch("usr/share/man/man1/%s.1" % name, line)
                          for line in listed.splitlines())]
    point(not missing, "every manual page is in one of Debian's packages", missing)


def check_programs(parallel):
    """Checks programs; `parallel`: those that are built twice."""
    made = {name for name, _, _, _ in programs()}
    lists = " ".join(map(text_of, matching("packaging/debian", "*.install")))
    packed = set(parallel + re.findall(r"usr/bin/(\w+)\s", lists))
    point(made and not made - packed, "every program is in one of Debian's packages",
          made - packed)
    for mpi in "mpich", "openmpi":
        links = re.findall(r"/usr/bin/(\w+)\.%s\b" % mpi,
                           debian("leadline-%s.alternatives" % mpi))
        point(sorted(links) == parallel, "the parallel ones are alternatives: " + mpi,
              [links, parallel])


def check_lists():
    packages = re.findall(r"^Package: (.*)", debian("control"), re.M)
    lists = [os.path.basename(name)[:-len(".install")]
             for name in matching("packaging/debian", "*.install")]
    point(sorted(lists) == sorted(packages), "every package has its list of files",
          set(lists) ^ set(packages))


def main():
    check_recipe()
    check_others()
    check_versions()
    rules = debian("rules")
    check_rules(rules)
    check_registry()
    check_pages()
    check_programs([name for name, _, _, _ in programs("MPI")])
    check_lists()
    done()


if __name__ == "__main__":
    main()
