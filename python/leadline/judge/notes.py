"""Notes that are printed under a table: reasons to doubt it."""
from collections import OrderedDict
from typing import Any, Dict, List, Sequence, Tuple

from leadline.base import names, stats
from leadline.base.fields import printable
from leadline.judge import robust, rules, tails
from leadline.results import rhythm, series
from leadline.results.groups import Group, transfer_seconds
from leadline.results.report import CACHE_BELOW, Figure, SERVED_FROM_MEMORY

NOISY = 0.2        # spread of the logarithms above which a sample is called noisy
WORST = 4          # most noisy samples that are named
STRAGGLER = 0.01   # chance below which a rank was not the slowest by chance
STALL_S = 0.1      # all stalls of a phase shorter than this together, or than this
STALL_PART = 0.02  # part of the phase, are seen in the picture only, unless one
STALL_LONG_S = 0.5  # stall is so long
MANY = 8          # most sentences of one kind
DRIFT = 1.1        # a configuration that differs more from itself is named


def notes(groups: Sequence[Any], figures: Sequence[Any]) -> List[str]:
    return (alone(groups) + memory(groups) + below(groups) + one_run(groups)
            + missing_rounds(groups) + no_rate(groups, figures) + loaded(groups)
            + standing_out(groups, figures) + unlike_itself(groups, figures)
            + of_one_run(groups) + rhythm.sentences(groups, headline(figures))
            + stalls(groups) + stragglers(groups) + noisy(groups, figures)
            + tails.absent(groups) + noisy_tails(groups, figures)
            + from_programs(groups))


def alone(groups: Sequence[Group]) -> List[str]:
    if len(groups) > 1:
        return []
    return ["there is only one configuration, %s: nothing to compare it with"
            % groups[0].name]


def one_run(groups: Sequence[Group]) -> List[str]:
    some = [g.name for g in groups if g.is_one_run]
    if not some or len(groups) < 2:
        return []
    return ["%s: one run%s, so there is no verdict: what differs between runs is not "
            "in these intervals; --compare or a sweep decides"
            % (names.common_of(some, WORST), " each" if len(some) > 1 else "")
            ] + without_label(groups)


def headline(figures: Sequence[Figure]) -> List[Figure]:
    """Returns the rates over all phases."""
    return [f for f in figures if f.name.endswith("_MBps") and "." not in f.name]


def of_one_run(groups: Sequence[Group]) -> List[str]:
    """Says how many runs the rounds of comparisons are of."""
    runs = set(r.series_id for g in groups for r in g.reports if r.arms_of is not None)
    if not runs:
        return []
    if len(runs) > 1:
        return ["the rounds are of %d runs: intervals contain what differs between "
                "runs (t with %d degrees of freedom)" % (len(runs), len(runs) - 1)]
    return ["all rounds are of one run: verdicts are about this run, its placement of "
            "processes and its time of day; the same --compare in several jobs tells "
            "more"]


def without_label(groups: Sequence[Group]) -> List[str]:
    """Returns a sentence on files that nothing relates to each other, such as six runs
    in a loop."""
    some = [g.name for g in groups if not (g.first.config or g.first.label)]
    if len(some) < 3:
        return []
    return ["%s: without a label, each report is a configuration of its own: give "
            "runs that belong together the same --label, or sweep"
            % names.common_of(some, WORST)]


def memory(groups: Sequence[Group]) -> List[str]:
    """Returns sentences on reads from memory: one for all configurations with the same
    number of such runs."""
    names: Dict[Tuple[int, int], List[str]] = OrderedDict()
    for group in groups:
        served = group.from_memory()
        if served:
            names.setdefault((served, len(group.reports)), []).append(group.name)
    return ["%s: reads were served from memory in %d of %d runs%s: such read figures "
            "measure memory, not storage"
            % (", ".join(some), served, runs, " each" if len(some) > 1 else "")
            for (served, runs), some in names.items()]


def below(groups: Sequence[Group]) -> List[str]:
    """Returns one sentence on all configurations on the same storage."""
    names: Dict[Tuple[int, int, str], List[str]] = OrderedDict()
    for group in groups:
        some = [report for report in group.reports if report.cache_below()]
        if some:
            key = (len(some), len(group.reports), ", ".join(some[0].storage()))
            names.setdefault(key, []).append(group.name)
    return ["%s: below the file system%s is a cache or memory, which may have served "
            "reads in %d of %d runs%s"
            % (", ".join(some), storage and " (%s)" % storage, count, runs,
               " each" if len(some) > 1 else "")
            for (count, runs, storage), some in names.items()]


def missing_rounds(groups: Sequence[Group]) -> List[str]:
    rounds = [set((r.series_id, r.round) for r in group.reports if r.round is not None)
              for group in groups]
    out = []
    for group, mine in zip(groups, rounds):
        ids = set(series for series, _ in mine)
        every = set(at for some in rounds for at in some if at[0] in ids)
        if len(mine) < len(every):
            out.append("%s has %d of %d rounds" % (group.name, len(mine), len(every)))
    return out


def no_rate(groups: Sequence[Group], figures: Sequence[Figure]) -> List[str]:
    """Returns sentences on repetitions in which a figure is 0 or has no value. Tails
    are excepted, as too few transfers give none."""
    out = []
    for figure in figures:
        for group in groups if not tails.is_tail(figure.name) else []:
            none, every = group.without_rate((figure.name, figure.at))
            if none:
                out.append("%s: %d of %d repetitions of %s gave no rate" % (
                    figure.name, none, every, group.name))
    return out[:MANY] + (["and %d more configurations without a rate in some repetition"
                          % (len(out) - MANY)] if len(out) > MANY else [])


def standing_out(groups: Sequence[Group], figures: Sequence[Figure]) -> List[str]:
    """Returns sentences on flagged runs, with what may explain them."""
    out = []
    for figure in figures:
        found = [] if tails.is_tail(figure.name) else robust.flags(groups, figure)
        if not found:
            continue
        more = ["and %d more" % (len(found) - WORST)] if len(found) > WORST else []
        out.append("%s: %d run%s out, though no figure leaves %s out: %s" % (
            figure.name, len(found), " stands" if len(found) == 1 else "s stand",
            "it" if len(found) == 1 else "them",
            "; ".join(list(map(flagged_text, found[:WORST])) + more)))
    return out


def flagged_text(flag: robust.Flag) -> str:
    """Describes a flagged run: round 4 of b (0.10 of its others; 2026-11-20 10:15 on
    n1, load 5.5, slowest rank 3)."""
    words, report = robust.flag_text(flag), flag.report
    if report is None:
        return words
    about = []
    if report.start_utc:
        about.append(report.start_utc[:16].replace("T", " "))
    hosts = report.host_names()
    if hosts:
        more = " +%d" % (len(hosts) - 1) if hosts[1:] else ""
        about.append("on " + hosts[0] + more)
    loads = [h["load1_start"] for h in report.hosts
             if isinstance(h.get("load1_start"), (int, float))]
    if loads:
        about.append("load %.1f" % max(loads))
    seconds, _ = transfer_seconds(report)
    if len(seconds) > 1:
        about.append("slowest rank %d" % min(seconds, key=lambda r: (-seconds[r], r)))
    return words[:-1] + "; " + ", ".join(about) + ")" if about else words


def counted(groups: Sequence[Group], figure: Figure) -> List[str]:
    """Returns the doubts about one figure in a few words each."""
    out, runs = [], [r for g in groups for r in g.reports]
    short = len(missing_rounds(groups))
    if short:
        out.append("%d of %d lack rounds" % (short, len(groups)))
    none = [g for g in groups if g.without_rate((figure.name, figure.at))[0]]
    if none:
        out.append("%d without a rate in some repetition" % len(none))
    memory_runs = 0 if "write" in figure.name else sum(r.from_memory() for r in runs)
    if memory_runs:
        out.append("reads from memory in %d of %d runs" % (memory_runs, len(runs)))
    busy = sum(any(above_cores(h) for h in r.hosts) for r in runs)
    if busy:
        out.append("load above the cores in %d of %d runs" % (busy, len(runs)))
    if unlike_itself(groups, [figure]):
        out.append("drift within a configuration")
    return out


def above_cores(host: Dict[str, Any]) -> bool:
    load, cores = host.get("load1_start"), host.get("cores")
    return (isinstance(load, (int, float)) and isinstance(cores, (int, float))
            and load > cores)


def enough(rows: Sequence[Any], equal: float = rules.POLICY.equal) -> List[str]:
    """Says how many rounds would show the differences that were not shown."""
    out = []
    for figure in OrderedDict(((r.figure.name, r.figure.at), r.figure) for r in rows
                              if r.comparison.rounds).values():
        some = [r for r in rows if r.figure is figure or (
            (r.figure.name, r.figure.at) == (figure.name, figure.at))]
        need = [r.comparison.rounds for r in some if r.comparison.rounds]
        have = max(r.comparison.estimate.n for r in some if r.comparison.rounds)
        if max(need) > have:
            out.append("%s: %d rounds leave %d comparison%s open; with %s rounds a "
                       "difference of %.2g %% would show, at the noise seen" % (
                           figure.name, have, len(need), "s" if len(need) > 1 else "",
                           rounds_text(need), 100.0 * (equal - 1.0)))
    return out


def rounds_text(need: Sequence[int]) -> str:
    return "%d" % max(need) if min(need) == max(need) else "%d to %d" % (min(need),
                                                                         max(need))


def noisy(groups: Sequence[Group], figures: Sequence[Figure]) -> List[str]:
    """Returns one sentence per figure with the configurations that spread most widely;
    one for all tails, as these commonly do."""
    out = []
    for figure in figures:
        if tails.is_tail(figure.name):
            continue
        found = []
        for group in groups:
            values = list(group.observations((figure.name, figure.at)).values())
            if len(values) >= 3 and stats.log_spread(values) > NOISY:
                found.append((-stats.log_spread(values), "%.4g to %.4g (%s)" % (
                    min(values), max(values), group.name)))
        if found:
            more = ", and by more than a fifth in %d more" % (len(found) - WORST)
            out.append("%s is noisy, its repetitions range from %s%s" % (
                figure.name, ", ".join(words for _, words in sorted(found)[:WORST]),
                more if len(found) > WORST else ""))
    return out


def noisy_tails(groups: Sequence[Group], figures: Sequence[Figure]) -> List[str]:
    found = []
    for figure in figures:
        for group in groups if tails.is_tail(figure.name) else []:
            values = list(group.observations((figure.name, figure.at)).values())
            if len(values) >= 3 and stats.log_spread(values) > NOISY:
                found.append((-stats.log_spread(values), "%s from %.4g to %.4g (%s)" % (
                    figure.name, min(values), max(values), group.name)))
    if not found:
        return []
    more = ", and by more than a fifth %d more" % (len(found) - WORST)
    return ["latencies are noisy, as those of few transfers often are: %s%s" % (
        ", ".join(words for _, words in sorted(found)[:WORST]),
        more if len(found) > WORST else "")]


def unlike_itself(groups: Sequence[Group], figures: Sequence[Figure]) -> List[str]:
    """Compares the first half of equal runs with the second (A/A). If they differ,
    something changed meanwhile. Tails are not compared: of so many, some would
    differ."""
    out = []
    for figure in [f for f in figures if not tails.is_tail(f.name)]:
        for group in groups:
            found = group.observations((figure.name, figure.at))
            values = [value for _, value in sorted(found.items())]
            half = len(values) // 2
            ratio = stats.welch_ratio(values[half:], values[:half])
            if ratio and (ratio.low > 1.0 or ratio.high < 1.0) \
                    and max(ratio.centre, 1.0 / ratio.centre) > DRIFT:
                out.append("%s of %s differs from itself: its later half is %.2f of "
                           "its earlier one, so trust paired ratios only"
                           % (figure.name, group.name, ratio.centre))
    return out


def loaded(groups: Sequence[Group]) -> List[str]:
    """Returns one sentence per host whose load was above its cores when runs began."""
    runs: Dict[str, int] = OrderedDict()
    busy: Dict[str, int] = {}
    worst: Dict[str, Tuple[float, float]] = {}
    seen = set()
    for group in groups:
        for report in group.reports:
            started = id(report.arms_of or report)  # one run has many repetitions
            hosts = [] if started in seen else report.hosts
            seen.add(started)
            for host in hosts:
                name, load = printable(host.get("name")), host.get("load1_start")
                cores = host.get("cores")
                if not all(isinstance(x, (int, float)) for x in (load, cores)):
                    continue
                runs[name] = runs.get(name, 0) + 1
                if load > cores:
                    busy[name] = busy.get(name, 0) + 1
                    worst[name] = max(worst.get(name, (0, 0)), (load, cores))
    return ["%s: the load was above the number of cores at the start of %d of %d runs "
            "(up to %.1f on %d): other work, or the run before, may have disturbed them"
            % ((name, busy[name], runs[name]) + worst[name])
            for name in runs if name in busy]


def stragglers(groups: Sequence[Group]) -> List[str]:
    """Finds a rank that is the slowest more often than chance would have it: one
    sentence for all configurations in which it is, equally often."""
    found: Dict[Tuple[Any, ...], List[str]] = OrderedDict()
    for group in groups:
        slow = group.slowest()
        if not slow or not slow.ranks or slow.ranks < 2:
            continue
        # Any rank might have been the one: ranks times the chance of this one.
        chance = slow.ranks * stats.chance_of_at_least(slow.times, slow.runs,
                                                       1.0 / slow.ranks)
        if chance < STRAGGLER:
            found.setdefault(slow[:4], []).append(group.name)
    return ["%s: rank %d%s was the slowest in %d of %d runs%s, which is not "
            "chance: check its node and its place in the file"
            % (names.common_of(some, WORST), rank, host and " on " + host, times, runs,
               " each" if len(some) > 1 else "")
            for (rank, host, times, runs), some in found.items()]


def stalls(groups: Sequence[Group]) -> List[str]:
    """Returns sentences on configurations in which transfers stalled, according to
    their series."""
    found = []
    for group in groups:
        most: List[series.Gap] = []
        runs = every = 0
        for report in group.reports:   # one at a time: series are large
            run = series.run(group, report)
            stopped = list(filter(noted, stalls_by_phase(run)))
            runs, every = runs + bool(stopped), every + bool(run.phases)
            most = max([most] + stopped, key=series.longest)
        if most:
            found.append((-series.longest(most), stall_text(group, most, runs, every)))
    found.sort()
    out = [words for _, words in found[:WORST]]
    if len(found) > WORST:
        out.append("transfers stood still in %d more configurations, for up to %s" % (
            len(found) - WORST, series.time_text(-found[WORST][0])))
    return out


def stalls_by_phase(run: series.Run) -> List[List[series.Gap]]:
    """Returns a list of stalls for each phase that has some."""
    found = [[g for g in run.gaps if g.stalled and g.phase is p] for p in run.phases]
    return [some for some in found if some]


def noted(some: Sequence[series.Gap]) -> bool:
    phase = some[0].phase
    length = series.together(some)
    return (length >= STALL_S and (length >= STALL_PART * (phase.end - phase.begin)
                                   or series.longest(some) >= STALL_LONG_S))


def stall_text(group: Group, some: Sequence[series.Gap], runs: int, every: int) -> str:
    phase = some[0].phase
    return "%s: transfers stood still for up to %s (phase %s, repetition %d%s) in %d " \
        "of %d runs" % (
            group.name, series.time_text(series.longest(some)), printable(phase.name),
            phase.rep, "" if len(some) == 1 else "; %s in %d stalls" % (
                series.time_text(series.together(some)), len(some)), runs, every)


def from_programs(groups: Sequence[Group]) -> List[str]:
    """Returns warnings of the programs themselves, each code once."""
    texts: Dict[str, str] = OrderedDict()
    runs: Dict[str, int] = {}
    for group in groups:
        for report in group.reports:
            for warning in report.warnings:
                code = printable(warning.get("code"))
                if code not in (SERVED_FROM_MEMORY, CACHE_BELOW):
                    texts.setdefault(code, printable(warning.get("text") or code))
                    runs[code] = runs.get(code, 0) + 1
    return ["%s (%s)" % (text, names.runs_text(runs[code]))
            for code, text in texts.items()]
