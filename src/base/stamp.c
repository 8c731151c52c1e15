#include "base/stamp.h"
#include "base/rng.h"
#include <stdio.h>
#include <string.h>

#define UNIT STAMP_UNIT
#define UNIT_WORDS (UNIT / 8)
#define CHUNK_WORDS 64 /* words in 512 bytes */
#define CHUNKS (UNIT_WORDS / CHUNK_WORDS)
#define MAGIC UINT64_C(0x6c6561646c696e65) /* "leadline" */

/* Each unit begins with these seven words in plain text; words of noise follow. */
enum header { H_MAGIC, H_SEED, H_TURN, H_VERSION, H_WHO, H_WHERE, H_SUM, H_WORDS };

static uint64_t who_of(const struct stamp *s)
{
    return (uint64_t)(uint32_t)s->rank << 32 | (uint32_t)s->mat;
}

/* A number that grows with repetition and pass. */
static uint64_t turn_of(const struct stamp *s)
{
    return (uint64_t)(uint32_t)s->rep << 32 | (uint32_t)s->pass;
}

static uint64_t key_of(const struct stamp *s)
{
    return rng_mix(rng_mix(s->seed + RNG_STEP) + turn_of(s)) ^
           rng_mix(rng_mix((uint32_t)s->version) + who_of(s) +
                   UINT64_C(0xd1b54a32d192ed03));
}

static uint64_t sum_of(const uint64_t h[H_WORDS])
{
    uint64_t sum = 0;
    for (int i = H_SEED; i < H_SUM; i++)
        sum = rng_mix(sum ^ h[i]);
    return sum;
}

static void make_header(uint64_t h[H_WORDS], uint64_t index, const struct stamp *s)
{
    h[H_MAGIC] = MAGIC;
    h[H_SEED] = s->seed;
    h[H_TURN] = turn_of(s);
    h[H_VERSION] = (uint32_t)s->version;
    h[H_WHO] = who_of(s);
    h[H_WHERE] = index * 8;
    h[H_SUM] = sum_of(h);
}

/* Makes words index .. index + n - 1 of the block, none of them in a header. */
static void noise(uint64_t *out, uint64_t index, int64_t n, uint64_t key)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = rng_mix(key + (index + (uint64_t)i) * RNG_STEP);
}

/* Makes the unit compressible: the last words of each of its chunks repeat one word,
 * which storage finds whatever block size it compresses. The header is not changed. */
static void thin(uint64_t *out, uint64_t index, int64_t n, int plain, uint64_t key)
{
    uint64_t kept = UNIT_WORDS * (100 - (uint64_t)plain) / 100, word = rng_mix(~key);
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = (index + (uint64_t)i) % UNIT_WORDS, chunk = at / CHUNK_WORDS;
        uint64_t noisy = kept * (chunk + 1) / CHUNKS - kept * chunk / CHUNKS;
        if (at >= H_WORDS && at % CHUNK_WORDS >= noisy)
            out[i] = word;
    }
}

/* Makes words from `index` on of one unit or a part of it (at most UNIT_WORDS). */
static void make_words(uint64_t *out, uint64_t index, int64_t n, const struct stamp *s,
                       uint64_t key)
{
    int64_t in_unit = (int64_t)(index % UNIT_WORDS), i = 0;
    if (in_unit < H_WORDS) {
        uint64_t h[H_WORDS];
        make_header(h, index - (uint64_t)in_unit, s);
        for (; i < n && in_unit + i < H_WORDS; i++)
            out[i] = h[in_unit + i];
    }
    noise(out + i, index + (uint64_t)i, n - i, key);
    if (s->plain)
        thin(out + i, index + (uint64_t)i, n - i, s->plain, key);
}

/* The bytes of the unit (or its rest) that begins at `from`, no more than `bytes`. */
static int64_t step_of(int64_t from, int64_t bytes)
{
    int64_t step = UNIT - from % UNIT;
    return step < bytes ? step : bytes;
}

void stamp_fill(void *buf, int64_t from, int64_t bytes, const struct stamp *s)
{
    uint64_t words[UNIT_WORDS], key = key_of(s);
    char *out = buf;
    while (bytes > 0) {
        int64_t step = step_of(from, bytes);
        make_words(words, (uint64_t)from / 8, (step + 7) / 8, s, key);
        memcpy(out, words, (size_t)step);
        out += step;
        from += step;
        bytes -= step;
    }
}

/* True for a stamp of this run from before the block's last write. */
static bool is_earlier(const uint64_t h[H_WORDS], const struct stamp *s)
{
    if (h[H_SEED] != s->seed)
        return false;
    return h[H_TURN] < turn_of(s) ||
           (h[H_TURN] == turn_of(s) && h[H_VERSION] < (uint32_t)s->version);
}

const char *stamp_mat_is(const struct stamp *s)
{
    return s->mat_is ? s->mat_is : "block";
}

static void explain_stale(const uint64_t h[H_WORDS], const char *mat_is, char *why,
                          size_t size)
{
    snprintf(why, size,
             "what rank %d wrote earlier (repetition %d, pass %d, %s %d, version "
             "%d, offset %lld): " STAMP_STALE,
             (int)(h[H_WHO] >> 32), (int)(h[H_TURN] >> 32), (int)(uint32_t)h[H_TURN],
             mat_is, (int)h[H_WHO], (int)h[H_VERSION], (long long)h[H_WHERE]);
}

/* Describes the unit that holds the wrong byte, as a clause. */
static void stamp_explain(const char *unit, int64_t have, int64_t from,
                          const struct stamp *s, char *why, int size)
{
    uint64_t h[H_WORDS], due[H_WORDS];
    int n = snprintf(why, (size_t)size,
                     "expected rank %d, %s %d, version %d, "
                     "offset %lld; found ",
                     s->rank, stamp_mat_is(s), s->mat, s->version, (long long)from);
    if (n < 0 || n >= size)
        return;
    why += n;
    size -= n;
    if (have < (int64_t)sizeof h) {
        snprintf(why, (size_t)size, "other bytes");
        return;
    }
    memcpy(h, unit, sizeof h);
    make_header(due, (uint64_t)(from / UNIT * UNIT_WORDS), s);
    if (h[H_MAGIC] != MAGIC || h[H_SUM] != sum_of(h)) {
        const char *what = "bytes that this benchmark did not write";
        if (h[0] == UINT64_C(0xa5a5a5a5a5a5a5a5))
            what = "the poison put there before the read: nothing was read";
        else if (!(h[0] | h[1] | h[2]))
            what = "zeros";
        snprintf(why, (size_t)size, "%s", what);
        return;
    }
    if (is_earlier(h, s))
        explain_stale(h, stamp_mat_is(s), why, (size_t)size);
    else
        snprintf(why, (size_t)size, "%srank %d, %s %d, version %d, offset %lld%s",
                 h[H_SEED] == s->seed ? "" : "another run's ", (int)(h[H_WHO] >> 32),
                 stamp_mat_is(s), (int)h[H_WHO], (int)h[H_VERSION],
                 (long long)h[H_WHERE],
                 !memcmp(h, due, sizeof h) ? " with changed bytes" : "");
}

int64_t stamp_check(const void *buf, int64_t from, int64_t bytes, const struct stamp *s,
                    char *why, int why_size)
{
    uint64_t words[UNIT_WORDS], key = key_of(s);
    const char *in = buf;
    while (bytes > 0) {
        int64_t step = step_of(from, bytes);
        make_words(words, (uint64_t)from / 8, (step + 7) / 8, s, key);
        if (memcmp(in, words, (size_t)step)) {
            int64_t i = 0;
            while (in[i] == ((const char *)words)[i])
                i++;
            if (why)
                stamp_explain(in, from % UNIT ? 0 : step, from, s, why, why_size);
            return from + i;
        }
        in += step;
        from += step;
        bytes -= step;
    }
    return -1;
}

int stamp_version(const void *buf, int64_t bytes, const struct stamp *s)
{
    uint64_t h[H_WORDS], due[H_WORDS];
    if (bytes < (int64_t)sizeof h)
        return -1;
    memcpy(h, buf, sizeof h);
    struct stamp found = *s;
    found.version = (int32_t)h[H_VERSION];
    make_header(due, 0, &found);
    return memcmp(h, due, sizeof h) ? -1 : found.version;
}

/* The number of bytes up to the last one that is right: the rest of a short unit
 * matches by chance only, and not in eight bytes in a row. */
static int64_t reach(const char *in, const char *due, int64_t bytes)
{
    int64_t n = bytes / 8 * 8;
    if (bytes % 8 && !memcmp(in + n, due + n, (size_t)(bytes % 8)) && bytes % 8 > 3)
        return bytes;
    while (n > 0 && memcmp(in + n - 8, due + n - 8, 8) != 0)
        n -= 8;
    const uint64_t magic = MAGIC;
    for (; n < bytes && in[n] == due[n]; n++)
        if (n + 8 <= bytes && !memcmp(in + n, &magic, 8)) /* it begins the next block */
            break;
    return n;
}

int64_t stamp_unit(const void *buf, int64_t bytes, int64_t *wrong)
{
    uint64_t h[H_WORDS], words[UNIT_WORDS];
    const char *in = buf, *due = (const char *)words;
    bytes = bytes < UNIT ? bytes : UNIT;
    *wrong = -1;
    if (bytes < (int64_t)sizeof h)
        return 0;
    memcpy(h, buf, sizeof h);
    if (h[H_MAGIC] != MAGIC || h[H_SUM] != sum_of(h))
        return 0;
    struct stamp s = {.seed = h[H_SEED],
                      .rep = (int32_t)(h[H_TURN] >> 32),
                      .pass = (int32_t)(uint32_t)h[H_TURN],
                      .version = (int32_t)h[H_VERSION],
                      .rank = (int32_t)(h[H_WHO] >> 32),
                      .mat = (int32_t)(uint32_t)h[H_WHO]};
    make_words(words, h[H_WHERE] / 8, UNIT_WORDS, &s, key_of(&s));
    int64_t n = reach(in, due, bytes);
    for (int64_t i = 0; i < n && *wrong < 0; i++)
        if (in[i] != due[i])
            *wrong = i;
    return n;
}

void stamp_hash_begin(struct stamp_hashing *h)
{
    *h = (struct stamp_hashing){.lane = {1, 2, 3, 4}};
}

/* Mixes two words by one multiplication, as in wyhash (Wang Yi, 2019). */
static inline uint64_t hash_pair(uint64_t lane, uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(lane ^ a) * (b ^ RNG_STEP);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static const unsigned char *hash_blocks(uint64_t lanes[4], const unsigned char *in,
                                        int64_t blocks)
{
    uint64_t lane[4], word[8];
    memcpy(lane, lanes, sizeof lane);
    for (; blocks > 0; blocks--, in += sizeof word) {
        memcpy(word, in, sizeof word);
        for (int i = 0; i < 4; i++)
            lane[i] = hash_pair(lane[i], word[i], word[i + 4]) + word[i];
    }
    memcpy(lanes, lane, sizeof lane);
    return in;
}

void stamp_hash_add(struct stamp_hashing *h, const void *buf, int64_t bytes)
{
    const unsigned char *in = buf, *end = in + bytes;
    int64_t held = h->bytes % (int64_t)sizeof h->rest;
    int64_t lacks = (int64_t)sizeof h->rest - held;
    h->bytes += bytes;
    if (held) {
        lacks = lacks < bytes ? lacks : bytes;
        memcpy(h->rest + held, in, (size_t)lacks);
        in += lacks;
        if (held + lacks < (int64_t)sizeof h->rest)
            return;
        hash_blocks(h->lane, h->rest, 1);
    }
    in = hash_blocks(h->lane, in, (end - in) / (int64_t)sizeof h->rest);
    memcpy(h->rest, in, (size_t)(end - in));
}

uint64_t stamp_hash_end(const struct stamp_hashing *h)
{
    uint64_t sum = (uint64_t)h->bytes;
    for (int64_t i = 0; i < h->bytes % (int64_t)sizeof h->rest; i++)
        sum = rng_mix(sum ^ h->rest[i]);
    for (int i = 0; i < 4; i++)
        sum = rng_mix(sum ^ h->lane[i]);
    return sum;
}

uint64_t stamp_hash(const void *buf, int64_t bytes)
{
    struct stamp_hashing h;
    stamp_hash_begin(&h);
    stamp_hash_add(&h, buf, bytes);
    return stamp_hash_end(&h);
}
