"""The expected results of outcore graph, computed by plain Python from the definitions
only: edges of a seed, the files PIF and PARTITION, blocks that move, and levels.

outcore_graph.py compares it, by the program, with published and hand-checked numbers.
Nothing here is fast or small in memory; a million vertices take a minute."""
import struct
import zlib

MASK = 2 ** 64 - 1
STEP = 0x9e3779b97f4a7c15
GRAPH, KRONECKER_BITS, KRONECKER_NUMBERS = 1, 4, 5
HEAD, ENTRY, CHUNK = 64, 16, 24


# ---- numbers of a seed ---------------------------------------------------------------

def mix(x):
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def key_of(seed, stream):
    return mix(mix(seed + STEP & MASK) + stream & MASK)


def number(key, i):
    return mix(key + (i + 1) * STEP & MASK)


def below(key, i, n):
    return number(key, i) * n >> 64


# ---- edges ---------------------------------------------------------------------------

def scale_free(hubs, vertices, degree, seed):
    """Returns the directed edges of S:hubs,vertices,degree, each undirected one both
    ways. Barabasi-Albert by retracing (Sanders and Schulz, 2016), from a ring of
    hubs."""
    edges, key = vertices * degree // 2, key_of(seed, GRAPH)

    def source(k):
        if k < hubs:
            return k
        return hubs + (k - hubs) * (vertices - hubs) // (edges - hubs)

    def target(k):
        if k < hubs:
            return (k + 1) % hubs
        p = 2 * k + 1
        while True:
            q = below(key, p, p - 1)
            h = q // 2
            if q % 2 == 0:
                return source(h)
            if h < hubs:
                return (h + 1) % hubs
            p = q

    for k in range(edges):
        s, t = source(k), target(k)
        yield s, t
        yield t, s


def scramble(half, key, turn):
    x = half + key + turn * STEP & MASK
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 29) * 0x94d049bb133111eb & MASK
    return x ^ x >> 32


def shuffled(i, bits, key):
    """Returns the new place of vertex i of 2^bits: four rounds of a Feistel network."""
    half = max(1, (bits + 1) // 2)
    mask = (1 << half) - 1
    while True:
        left, right = i >> half, i & mask
        for turn in range(4):
            left, right = right, left ^ scramble(right, key, turn) & mask
        i = left << half | right
        if i < 1 << bits:
            return i


def kronecker(scale, factor, seed):
    """Returns the edges of Graph500's generator, one way, renumbered."""
    bits, numbers = key_of(seed, KRONECKER_BITS), key_of(seed, KRONECKER_NUMBERS)
    for j in range(factor << scale):
        a = b = 0
        for bit in range(scale):
            r = (number(bits, j * scale + bit) >> 11) * 2.0 ** -53
            one, other = (0, 0) if r < .57 else (0, 1) if r < .76 else \
                (1, 0) if r < .95 else (1, 1)
            a, b = a << 1 | one, b << 1 | other
        yield shuffled(a, scale, numbers), shuffled(b, scale, numbers)


def both_ways(edges):
    for s, t in edges:
        yield s, t
        yield t, s


# ---- levels --------------------------------------------------------------------------

def neighbours_of(edges):
    lists = {}
    for s, t in edges:
        lists.setdefault(s, []).append(t)
    return lists


def levels(lists, root=0):
    """Returns the number of vertices at distance 0, 1, ... from the root."""
    seen, level, sizes = {root}, [root], []
    while level:
        sizes.append(len(level))
        following = {t for v in level for t in lists.get(v, ())} - seen
        seen |= following
        level = sorted(following)
    return sizes


# ---- the files -----------------------------------------------------------------------

def chunk(vertex, following, neighbours):
    body = struct.pack("<%dQ" % len(neighbours), *neighbours)
    named = struct.pack("<QI", vertex, len(neighbours))
    return struct.pack("<Q", following) + named + struct.pack(
        "<I", zlib.crc32(named + body)) + body


def blocks(first, end, block):
    return range(first // block, -(-end // block))


class Store:
    """PIF and PARTITION of one rank, made as by flushes of `buffer` entries.

    counts[B]: blocks of B bytes read and written, for "pif", "links" and "append".
    """
    def __init__(self, vertices, edges, buffer, sizes=()):
        self.vertices, self.entries, self.chunks = vertices, 0, 0
        self.first, self.last = {}, {}
        self.partition = bytearray(HEAD)
        self.counts = {b: {"pif": 0, "links": 0, "append": 0} for b in sizes}
        lists, held = {}, 0
        for s, t in edges:
            lists.setdefault(s, []).append(t)
            held += 1
            if held == buffer:
                self.flush(lists)
                lists, held = {}, 0
        if held:
            self.flush(lists)
        self.partition[:HEAD] = struct.pack("<8sQQ40x", b"LLPART01", vertices,
                                            self.entries)

    def flush(self, lists):
        old = len(self.partition)
        linked = [self.last[v] for v in lists if v in self.last]
        for v in sorted(lists):
            at = len(self.partition)
            if v in self.last:
                self.partition[self.last[v]:self.last[v] + 8] = struct.pack("<Q", at)
            self.first.setdefault(v, at)
            self.last[v] = at
            self.partition += chunk(v, 0, lists[v])
            self.entries += len(lists[v])
        self.chunks += len(lists)
        for b, count in self.counts.items():
            count["pif"] += len({(HEAD + ENTRY * v) // b for v in lists})
            count["links"] += len({at // b for at in linked})
            count["append"] += len(blocks(old, len(self.partition), b))

    def pif(self):
        head = struct.pack("<8sQQQ32x", b"LLPIF001", self.vertices,
                           len(self.partition), self.chunks)
        return head + b"".join(
            struct.pack("<QQ", self.first.get(v, 0), self.last.get(v, 0))
            for v in range(self.vertices))


class Rows:
    """OFFSETS and NEIGHBOURS of one rank, as bytes."""
    def __init__(self, vertices, edges):
        lists = neighbours_of(edges)
        offsets = [0]
        for v in range(vertices):
            offsets.append(offsets[-1] + len(lists.get(v, ())))
        flat = [t for v in range(vertices) for t in lists.get(v, ())]
        total = sum(31 * s + t for s, t in edges) % 2 ** 64
        head = struct.pack("<8xQQQ32x", vertices, len(flat), total)
        self.offsets = b"LLOFFS01" + head[8:] + struct.pack(
            "<%dQ" % len(offsets), *offsets)
        self.neighbours = b"LLNEIG01" + head[8:] + struct.pack(
            "<%dQ" % len(flat), *flat)


class Search:
    """A search by levels in the two files' bytes, in batches of the queue.

    Blocks read are in .pif and .partition by block size; .rounds of them; .queue bytes
    that were written; .collected entries of each level."""
    def __init__(self, pif, partition, root=0, batch=1 << 20, sizes=(), early=False):
        self.files, self.early = (pif, partition), early
        self.seen, self.levels, self.collected = set(), [], []
        self.pif, self.partition = dict.fromkeys(sizes, 0), dict.fromkeys(sizes, 0)
        self.rounds = self.queue = self.chain_max = 0
        queue = [root]
        while queue:
            before, following = len(self.seen), []
            for i in range(0, len(queue), batch):
                following += self.expand(queue[i:i + batch])
            if len(self.seen) == before:
                break
            self.levels.append(len(self.seen) - before)
            self.collected.append(len(following))
            self.queue += 8 * len(following)
            queue = following

    def expand(self, entries):
        batch = sorted(set(entries) - self.seen)
        self.seen.update(batch)
        places = [HEAD + ENTRY * v for v in batch]
        for b in self.pif:
            self.pif[b] += len({at // b for at in places})
        pending = {v: struct.unpack_from("<Q", self.files[0], at)[0]
                   for v, at in zip(batch, places)}
        found, length = {v: [] for v in batch}, 0
        while any(pending.values()):
            pending = self.round({v: at for v, at in pending.items() if at}, found)
            length += 1
        self.chain_max = max(self.chain_max, length)
        flat = [t for v in batch for t in found[v]]
        return [t for t in flat if t not in self.seen] if self.early else flat

    def round(self, pending, found):
        touched, following = {b: set() for b in self.partition}, {}
        for v, at in pending.items():
            after, vertex, count, crc = struct.unpack_from("<QQII", self.files[1], at)
            data = self.files[1][at + CHUNK:at + CHUNK + 8 * count]
            if vertex != v or crc != zlib.crc32(struct.pack("<QI", v, count) + data):
                raise ValueError("chunk at %d is not one of vertex %d" % (at, v))
            found[v] += struct.unpack("<%dQ" % count, data)
            following[v] = after
            for b, some in touched.items():
                some.update(blocks(at, at + CHUNK + 8 * count, b))
        for b, some in touched.items():
            self.partition[b] += len(some)
        self.rounds += 1
        return following


class RowSearch(Search):
    """A search in the two files of Rows."""
    def expand(self, entries):
        batch = sorted(set(entries) - self.seen)
        self.seen.update(batch)
        rows = [struct.unpack_from("<QQ", self.files[0], HEAD + 8 * v) for v in batch]
        for b in self.pif:
            self.pif[b] += len({i for v in batch for i in blocks(
                HEAD + 8 * v, HEAD + 8 * v + 16, b)})
            self.partition[b] += len({i for first, end in rows if first < end
                                      for i in blocks(HEAD + 8 * first, HEAD + 8 * end,
                                                      b)})
        self.rounds += bool(batch)
        flat = [t for first, end in rows for t in struct.unpack_from(
            "<%dQ" % (end - first), self.files[1], HEAD + 8 * first)]
        return [t for t in flat if t not in self.seen] if self.early else flat


# ---- WordNet -------------------------------------------------------------------------

def wordnet(folder="/usr/share/wordnet"):
    """Returns (number of synsets, [(from, to)] of all pointers); synsets are numbered
    in the order of the files of nouns, verbs, adjectives and adverbs."""
    numbers, lines = {}, []
    for letter, name in zip("nvar", ("noun", "verb", "adj", "adv")):
        with open("%s/data.%s" % (folder, name), encoding="ascii") as f:
            for line in f:
                if not line.startswith("  "):
                    numbers[letter, line[:8]] = len(numbers)
                    lines.append(line.split("|")[0].split())
    edges = []
    for source, words in enumerate(lines):
        at = 4 + 2 * int(words[3], 16)
        for i in range(int(words[at])):
            _, offset, letter, _ = words[at + 1 + 4 * i:at + 5 + 4 * i]
            edges.append((source, numbers["a" if letter == "s" else letter, offset]))
    return len(numbers), edges
