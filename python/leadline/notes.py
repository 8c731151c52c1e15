"""What to know before believing a table: the sentences printed under it."""
from collections import OrderedDict

from leadline import series, stats, tails
from leadline.report import CACHE_BELOW, SERVED_FROM_MEMORY, printable

NOISY = 0.2        # spread of the logarithms above which a sample is called noisy
WORST = 4          # so many of the noisy ones are named
STRAGGLER = 0.01   # chance below which a rank was not the slowest by chance
STALL_S = 0.1      # shorter stalls, and those of a smaller part of their phase, are
STALL_PART = 0.05  # seen in the picture only
DRIFT = 1.1        # a configuration that differs more from itself is named


def notes(groups, figures):
    return (alone(groups) + memory(groups) + below(groups)
            + missing_rounds(groups) + tails.absent(groups) + noisy(groups, figures)
            + noisy_tails(groups, figures) + unlike_itself(groups, figures)
            + loaded(groups) + stalls(groups) + stragglers(groups)
            + from_programs(groups))


def alone(groups):
    if len(groups) > 1:
        return []
    return ["there is only one configuration, %s: nothing to compare it with"
            % groups[0].name]


def memory(groups):
    """One sentence for all configurations of which as many runs were."""
    names = OrderedDict()
    for group in groups:
        served = group.from_memory()
        if served:
            names.setdefault((served, len(group.reports)), []).append(group.name)
    return ["%s: reads were served from memory in %d of %d runs%s: such read figures "
            "measure memory, not storage"
            % (", ".join(some), served, runs, " each" if len(some) > 1 else "")
            for (served, runs), some in names.items()]


def below(groups):
    """One sentence for all configurations on the same storage."""
    names = OrderedDict()
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


def missing_rounds(groups):
    rounds = [set((r.series_id, r.round) for r in group.reports if r.round is not None)
              for group in groups]
    out = []
    for group, mine in zip(groups, rounds):
        ids = set(series for series, _ in mine)
        every = set(at for some in rounds for at in some if at[0] in ids)
        if len(mine) < len(every):
            out.append("%s has %d of %d rounds" % (group.name, len(mine), len(every)))
    return out


def noisy(groups, figures):
    """One sentence a figure, naming the configurations that spread most widely; one
    for all tails, as these commonly do."""
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


def noisy_tails(groups, figures):
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


def unlike_itself(groups, figures):
    """A/A: of equal runs, the first half against the second. Where that shows a
    difference, something changed meanwhile. Not of tails: of so many, some would."""
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


def loaded(groups):
    """One sentence per host whose load was above its cores when runs began."""
    runs, busy, worst = OrderedDict(), {}, {}
    for group in groups:
        for report in group.reports:
            for host in report.hosts:
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


def stragglers(groups):
    """A rank that is slowest more often than chance would have it."""
    out = []
    for group in groups:
        slow = group.slowest()
        if not slow or not slow.ranks or slow.ranks < 2:
            continue
        # Any rank might have been the one: ranks times the chance of this one.
        chance = slow.ranks * stats.chance_of_at_least(slow.times, slow.runs,
                                                       1.0 / slow.ranks)
        if chance < STRAGGLER:
            out.append("%s: rank %d%s was the slowest in %d of %d runs, which is no "
                       "chance: look at its node and its place in the file"
                       % (group.name, slow.rank, slow.host and " on " + slow.host,
                          slow.times, slow.runs))
    return out


def stalls(groups):
    """Configurations in which transfers stood still, by what their series say."""
    found = []
    for group in groups:
        some = [series.run(group, report) for report in group.reports]
        worst = [max(gaps, key=series.seconds) for gaps in (
            [g for g in r.gaps if noted(g)] for r in some) if gaps]
        if worst:
            most = max(worst, key=series.seconds)
            found.append((-series.seconds(most), "%s: transfers stood still for up to "
                          "%s (phase %s, repetition %d) in %d of %d runs" % (
                              group.name, series.time_text(series.seconds(most)),
                              printable(most.phase.name), most.phase.rep, len(worst),
                              sum(1 for r in some if r.phases))))
    found.sort()
    out = [words for _, words in found[:WORST]]
    if len(found) > WORST:
        out.append("transfers stood still in %d more configurations, for up to %s" % (
            len(found) - WORST, series.time_text(-found[WORST][0])))
    return out


def noted(gap):
    length = series.seconds(gap)
    return (gap.stalled and length >= STALL_S
            and length >= STALL_PART * (gap.phase.end - gap.phase.begin))


def from_programs(groups):
    """Warnings of the programs themselves, each code once."""
    texts, runs = OrderedDict(), {}
    for group in groups:
        for report in group.reports:
            for warning in report.warnings:
                code = printable(warning.get("code"))
                if code not in (SERVED_FROM_MEMORY, CACHE_BELOW):
                    texts.setdefault(code, printable(warning.get("text") or code))
                    runs[code] = runs.get(code, 0) + 1
    return ["%s (%d runs)" % (text, runs[code]) for code, text in texts.items()]
