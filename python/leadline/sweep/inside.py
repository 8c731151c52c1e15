"""leadline sweep --inside: all configurations in one run, by the program's --compare.

Where the launcher, the program, its environment or the ranks vary, each configuration
is a run of its own."""
from typing import Any, Dict, List

from leadline.base.errors import usage
from leadline.base.options import option
from leadline.results.run import Run
from leadline.sweep import factors, need
from leadline.sweep import spec as specs

BREAKS = set(" \t\n;")     # what a value in --compare-arms cannot have
SPARE = 2.0                # of the time that the program is given

OPTIONS = [
    option("--inside",
           "auto: compare all configurations within one run where the program can "
           "(default: never)",
           "`auto`: where only options of the program vary, all configurations are "
           "compared within one run, by the program's `--compare`, whose intervals are "
           "narrower than those of separate runs; `--rounds`, `--until` and "
           "`--budget` are its. Where ranks, launcher, program or environment vary, or "
           "the program cannot do it, each configuration is run by itself, and a line "
           "says why. Default: `never`.",
           choices=["auto", "never"], default="never"),
]


def refusal(spec: Dict[str, Any], where: Any) -> str:
    """Returns why these configurations cannot be compared within one run; "": they
    can."""
    configs = specs.configurations(spec)
    others = sorted(set(name for c in configs for name in c.values
                        if factors.is_factor(name)))
    if others:
        return "%s varies" % others[0]
    if specs.placeholders(spec["args"]):
        return "args take values of the matrix"
    if any(BREAKS & set(str(v)) for c in configs for v in c.values.values()):
        return "a value has a space or a semicolon"
    return need.refusal(spec, whole(), where, arms(configs))


def whole() -> Any:
    """The configuration of the one run: the arguments that all have."""
    return specs.Config("compare", {})


def arms(configs: List[Any]) -> List[str]:
    """Formats the configurations as arms, which keep their names."""
    return ["--compare-arms=" + "; ".join(
        "%s: %s" % (c.name, " ".join(
            word[2:] for n, v in c.values.items() for word in specs.option(n, v)))
        for c in configs)]


def run(sweep: Any, where: Any, args: Any, slurm: bool) -> Run:
    """Returns the one run."""
    spec = sweep.spec
    path = "%s/%s-compare-1.json" % (sweep.out, sweep.id)
    ends = ["--rounds=%d" % spec["rounds"]] if not (args.until or args.budget) else []
    ends += ["--rounds=%d" % args.rounds] if args.rounds and not ends else []
    ends += ["--until=%.9g" % (args.until - 1.0)] if args.until else []
    ends += ["--budget=%.9g" % args.budget] if args.budget else []
    return Run(whole(), 1, path, specs.command(spec, whole(), where, slurm)
               + arms(sweep.configs) + ends
               + ["--json", path, "--series", "%s,compare,1" % sweep.id, "--quiet"])


def timeout(sweep: Any, args: Any) -> float:
    """Returns the seconds that the one run may take: those of all its repetitions."""
    each = float(sweep.spec["timeout"])
    if args.budget:
        return SPARE * float(args.budget) + each
    return each * (sweep.spec["rounds"] + 1) * len(sweep.configs)


def check(args: Any) -> None:
    if args.inside == "auto" and (args.submit or args.dry_run or args.figure):
        raise usage("--inside is for runs that this command makes itself: leave out "
                    "--submit, --dry-run and --figure")
