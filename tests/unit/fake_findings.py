"""Makes output of "iotrace findings" for tests of the page."""

CLASSES = ("read", "write", "open", "close", "meta", "sync", "lock", "wait", "library")


def finding(name, severity, ranks, n=0, **more):
    found = {
        "id": name, "severity": severity, "title": "many small transfers in sequence",
        "sentence": "ranks 0-3 write d.out.# in 80,000 transfers of 100 B, each where "
                    "the last one ended.",
        "file": "/scratch/project/run/d.out.#", "file_count": 4,
        "files": ["/scratch/project/run/d.out.%d" % i for i in range(4)],
        "direction": "write", "ranks": list(range(min(ranks, 64))),
        "ranks_text": "0-%d" % (ranks - 1), "processes": [], "hosts": ["node1"],
        "at_stake_s": 1.2, "gain_s": 0.9, "worst_rank": 2, "worst_gain_s": 0.3,
        "share_of_wall": 0.25, "first_s": 0.05 + 0.05 * n, "last_s": 0.4 + 0.05 * n,
        "calls": 80000, "bytes": 8000000, "median_bytes": 100,
        "condition": [
            {"what": "transfers below 64 KiB", "value": 1.0, "relation": ">=",
             "limit": 0.1, "unit": "share"},
            {"what": "of them where the last one ended", "value": 0.99,
             "relation": ">=", "limit": 0.8, "unit": "share"}],
        "events": [12, 345, 6789], "also": ["misaligned"],
        "remedy": "Gather them: one write of 1 MiB instead of 10,486 calls, or "
                  "setvbuf() with 1 MiB; with HDF5, H5Pset_meta_block_size().",
        "series": [{"rank": r, "seconds": 0.3 + 0.1 * (r % 3), "gain_s": 0.2,
                    "calls": 20000, "bytes": 2000000, "first_s": 0.05, "last_s": 0.4}
                   for r in range(min(ranks, 256))]}
    found.update(more)
    return found


def some(ranks):
    return [
        finding("small-sequential", "high", ranks),
        finding("late-rank", "medium", ranks, 2, title="rank 2 is last in collective "
                "calls", file="/scratch/project/run/shared.h5", direction=""),
        finding("misaligned", "low", ranks, 5, gain_s=None, direction="read",
                title="transfers cut through stripes"),
        finding("seeks", "below", ranks, title="needless seeks")]


def file_group(i, ranks):
    amount = {"calls": 1000 + i, "bytes": 10 ** 7 * (i + 1), "seconds": 0.5 / (i + 1)}
    return {"name": "/scratch/project/run/dir%d/d.out.#" % i, "count": 500,
            "ranks_text": "0-%d" % (ranks - 1), "rank_count": ranks,
            "file_system": "lustre", "block_bytes": 4096, "lock_bytes": 1 << 20,
            "seconds": 1.0 / (i + 1),
            "asked": {"read": amount, "write": amount, "meta": amount},
            "done": {"read": dict(amount, bytes=3 * amount["bytes"]),
                     "write": amount}, "opens": 4, "stats": 0, "seeks": 0, "syncs": 0,
            "patterns": {"read": {"sequential": .9, "strided": .1, "random": 0},
                         "write": None},
            "sizes": {"read": [[128, 20000, 0.1]], "write": []}}


def rank(r, seconds):
    slow = 3 if r % 17 == 2 else 1
    classes = {name: seconds * 0.02 * (1 + (r + i) % 4) * slow
               for i, name in enumerate(CLASSES) if (r + i) % 5}
    return {"rank": r, "pid": 1000 + r, "host": "node%d" % (r // 32), "program": "code",
            "wall_s": seconds, "begin_s": 0.0, "end_s": seconds,
            "io_s": sum(classes.values()), "bytes_read": 10 ** 6 * r,
            "bytes_written": 10 ** 7, "calls": 1000, "classes": classes}


def make(ranks=4, groups=5, begin_s=1700000000.0, seconds=1.0, findings=None):
    found = some(ranks) if findings is None else findings
    return {
        "schema": "leadline-iotrace-findings", "schema_version": 1, "run": "run",
        "program": "code", "command": "./code --input deck.nml", "begin_s": begin_s,
        "wall_s": seconds, "rank_count": ranks, "process_count": ranks + 3,
        "hosts": ["node%d" % i for i in range(max(1, ranks // 32))], "cores": 32,
        "options": {"floor_s": 0.005},
        "verdict": {"text": "Small writes cost a quarter of the run." if found else
                    "Nothing that is looked for costs this run noticeable time.",
                    "high": 1, "medium": 1, "low": 1, "below": 1, "risks": 1,
                    "not_judged": 1, "io_s": 4.2, "covered_s": 3.5,
                    "covered_share": 0.83},
        "classes": [{"class": c, "calls": 1000, "bytes": 10 ** 6 if c in ("read",
                     "write") else 0, "seconds": 0.5, "mean_share": 0.1,
                     "worst_share": 0.31, "worst_rank": 2} for c in CLASSES],
        "findings": found,
        "risks": [{"id": "failed-io", "title": "failed writes", "sentence":
                   "3 writes of rank 1 failed with ENOSPC.", "file": "x",
                   "file_count": 1, "ranks_text": "1", "calls": 3, "bytes": 0,
                   "events": [1], "remedy": "Make room."}] if found else [],
        "not_found": ["reread", "rewrite", "read-by-all", "turns", "sync-heavy"],
        "not_judged": [{"id": "slow-rank", "because": "4 ranks share 2 cores"}],
        "seen": {"read": 0.9876, "written": 1},
        "unseen": ["Bytes of 3 mapped files are not seen."],
        "folded": [{"what": "other processes", "files": 3, "calls": 10, "bytes": 100,
                    "seconds": 0.1, "worst_share": 0.01}],
        "files": [file_group(i, ranks) for i in range(groups)], "file_groups": groups,
        "ranks": [rank(r, seconds) for r in range(ranks)],
        "phases": [{"name": "write", "first_s": 0.1, "last_s": 0.4}],
        "small": [{"file_system": "lustre", "direction": "write",
                   "small_below_bytes": 65536, "startup_s": 1e-6,
                   "rate_bytes_per_s": 1e9}],
        "logs": ranks, "logs_unreadable": 0, "events": 100000, "events_dropped": 0,
        "notes": []}
