#include "hydro/gsf.h"
#include "base/err.h"
#include "base/mem.h"
#include "hydro/gsf_format.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the stream of records ------------------------------------------------------- */

/* A file that is read forwards. Private to gsf.c. */

struct gsf_stream {
    struct gsf_source source;
    char *path;
    int64_t at; /* file offset of the next byte */
    /* The last piece, and its part that is still to come; all of it if `at` is
     * before it. */
    const uint8_t *piece;
    int64_t piece_at, piece_bytes;
    uint8_t *window; /* a record split across pieces: `held` bytes from */
    int64_t held;    /* `at` on; 0: none */
    int fd;          /* of the stream's own source; -1: the source is the caller's */
    uint8_t *own;    /* buffer of that source */
};

static inline int64_t gsf_stream_left(const struct gsf_stream *s)
{
    return s->source.bytes - s->at;
}

enum { WINDOW_BYTES = GSF_RECORD_MAX + 64 };

/* ---- the stream's own source ----------------------------------------------------- */

static int own_read(void *context, int64_t at, const uint8_t **p, int64_t *n)
{
    struct gsf_stream *s = context;
    ssize_t got;
    do
        got = pread(s->fd, s->own, GSF_READ_BYTES, at);
    while (got < 0 && errno == EINTR);
    *p = s->own;
    *n = got;
    if (got < 0)
        return err_set(-errno, s->path, at, "read failed: %s", strerror(errno));
    if (!got)
        return err_set(-EIO, s->path, at, "the file became shorter while it was read");
    return 0;
}

int gsf_check_file(const char *path, const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return 0;
    return err_set(S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL, path, -1,
                   "this is %s, not a regular file",
                   S_ISDIR(st->st_mode) ? "a directory" : "a device or a pipe");
}

/* Opens the file. O_NONBLOCK: a FIFO is refused instead of waited for. */
static int own_open(struct gsf_stream *s, const char *path)
{
    struct stat st;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        return err_set(-errno, path, -1, "the file cannot be opened: %s",
                       strerror(errno));
    if (fstat(s->fd, &st))
        return err_set(-errno, path, -1, "the file cannot be looked at: %s",
                       strerror(errno));
    s->own = mem_of(path, GSF_READ_BYTES, 1, "reading the file");
    s->source =
        (struct gsf_source){.read = own_read, .context = s, .bytes = st.st_size};
    return gsf_check_file(path, &st);
}

/* ---- the stream ------------------------------------------------------------------ */

/* Local. Uses the caller's source, or, if it is NULL, opens a regular file.
 * gsf_stream_close must be called whatever it returns: 0, or -errno with a sentence. */
static int gsf_stream_open(struct gsf_stream *s, const char *path,
                           const struct gsf_source *source)
{
    *s = (struct gsf_stream){.fd = -1};
    int rc = 0;
    if (source)
        s->source = *source;
    else
        rc = own_open(s, path);
    s->path = mem_text(path, "reading the file");
    s->window = mem_of(path, WINDOW_BYTES, 1, "reading the file");
    if (!rc && (!s->path || !s->window || (!source && !s->own)))
        rc = -ENOMEM;
    return rc;
}

static void gsf_stream_close(struct gsf_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s->window);
    free(s->own);
    *s = (struct gsf_stream){.fd = -1};
}

static int64_t end_of_piece(const struct gsf_stream *s)
{
    return s->piece_at + s->piece_bytes;
}

/* Reads the piece that has byte `at`, from there on. */
static int next_piece(struct gsf_stream *s, int64_t at)
{
    s->piece_at = at;
    s->piece_bytes = 0;
    return s->source.read(s->source.context, at, &s->piece, &s->piece_bytes);
}

/* Assembles a record that is split across pieces in the window. */
static int gsf_stream_fill(struct gsf_stream *s, int n)
{
    int rc = 0;
    while (s->held < n && !rc) {
        int64_t at = s->at + s->held, here = end_of_piece(s) - at;
        if (here <= 0) {
            rc = next_piece(s, at);
            continue;
        }
        int64_t part = here < n - s->held ? here : n - s->held;
        memcpy(s->window + s->held, s->piece + (at - s->piece_at), (size_t)part);
        s->held += part;
    }
    return rc;
}

/* Local. Makes the next n bytes (at most gsf_stream_left and a record with its head)
 * visible at *p until the next call. Returns 0, or -errno with a sentence. */
static int gsf_stream_see(struct gsf_stream *s, int n, const uint8_t **p)
{
    int rc = 0;
    if (!s->held && s->at >= end_of_piece(s))
        rc = next_piece(s, s->at);
    if (!rc && !s->held && s->at + n <= end_of_piece(s)) {
        *p = s->piece + (s->at - s->piece_at);
        return 0;
    }
    rc = rc ? rc : gsf_stream_fill(s, n);
    *p = s->window;
    return rc;
}

/* Local. Moves n bytes on, at most gsf_stream_left, without reading them. */
static void gsf_stream_skip(struct gsf_stream *s, int64_t n)
{
    s->at += n;
    if (s->held && s->at < s->piece_at) {
        s->held -= n;
        memmove(s->window, s->window + n, (size_t)s->held);
    } else {
        s->held = 0;
    }
}

/* ---- records --------------------------------------------------------------------- */

struct gsf;

enum { MAJOR_MAX = 3 }; /* minor versions only add records that may be skipped */

struct gsf {
    struct gsf_stream stream;
    struct gsf_pings pings;
    struct gsf_counts counts;
    char version[8]; /* "3.09" */
    int64_t number;  /* number of the last ping */
    int64_t cut;     /* offset of the record that is cut short; -1: none */
    bool take_cut;   /* that record is the end of the file */
    int failed;      /* return value of gsf_next from now on */
};

/* The frame of a record. */
struct record {
    int64_t offset; /* of the frame */
    int type;       /* 0: private, or not known */
    int head;       /* bytes before the data */
    int bytes;      /* of the data */
    bool summed;
    uint32_t sum;
};

static int bad(const struct gsf *g, int64_t offset, const char *text)
{
    return err_set(-EBADMSG, g->stream.path, offset, "%s", text);
}

/* Handles a file that ends within a record. Returns 0 if that is accepted as its end,
 * or -EBADMSG with a sentence that includes `how`. */
static int cut_short(struct gsf *g, const struct record *r, const char *how)
{
    g->cut = r->offset;
    return g->take_cut ? 0
                       : err_set(-EBADMSG, g->stream.path, r->offset,
                                 "the file is cut short: %s; --truncated takes what "
                                 "is complete",
                                 how);
}

/* Checks a record's size. Returns 1, 0 if the file is to end here, or -errno. */
static int check_size(struct gsf *g, const struct record *r, uint32_t size)
{
    char how[96];
    int64_t left = gsf_stream_left(&g->stream) - r->head;
    if (size > GSF_RECORD_MAX)
        return err_set(-EBADMSG, g->stream.path, r->offset,
                       "a record of %u bytes, and GSF allows %d: the file is damaged, "
                       "or is not GSF",
                       size, GSF_RECORD_MAX);
    snprintf(how, sizeof how, "a record of %u bytes begins here, and %lld are left",
             size, (long long)(left > 0 ? left : 0));
    return size > left ? cut_short(g, r, how) : 1;
}

/* Reads the frame of the next record. Returns 1, 0 at the end, or -errno. */
static int next_record(struct gsf *g, struct record *r)
{
    int64_t left = gsf_stream_left(&g->stream);
    const uint8_t *p;
    int rc;
    *r = (struct record){.offset = g->stream.at, .head = GSF_HEAD_BYTES};
    if (!left)
        return 0;
    if (left < GSF_HEAD_BYTES)
        return cut_short(g, r, "it ends in a record's head");
    if ((rc = gsf_stream_see(&g->stream, GSF_HEAD_BYTES, &p)))
        return rc;
    uint32_t size = gsf_get4(p), id = gsf_get4(p + 4);
    r->summed = id & GSF_CHECKSUM_FLAG;
    r->head += r->summed ? 4 : 0;
    id &= GSF_ID_MASK;
    if (!id || (id < GSF_RECORDS && size < GSF_RECORD_MIN))
        return err_set(-EBADMSG, g->stream.path, r->offset,
                       "no record begins here: type %u with %u bytes", id, size);
    r->type = id < GSF_RECORDS ? (int)id : 0;
    r->bytes = (int)size;
    return check_size(g, r, size);
}

/* Makes a record's data available, and verifies its checksum, if it has one. */
static int see_data(struct gsf *g, const struct record *r, const uint8_t **data)
{
    const uint8_t *p;
    int rc = gsf_stream_see(&g->stream, r->head + r->bytes, &p);
    if (rc)
        return rc;
    *data = p + r->head;
    g->counts.checksums += r->summed;
    if (r->summed && gsf_get4(p + GSF_HEAD_BYTES) != gsf_sum(*data, r->bytes))
        return bad(g, r->offset,
                   "the checksum of the record that begins here is wrong");
    return 0;
}

static void gsf_pass(struct gsf *g, const struct record *r)
{
    gsf_stream_skip(&g->stream, r->head + r->bytes);
    g->counts.records[r->type]++;
}

/* ---- the header ----------------------------------------------------------------- */

/* Parses "GSF-v03.09" to 3 and 9. */
static bool parse_version(const uint8_t *p, int *major, int *minor)
{
    if (memcmp(p, "GSF-v", 5) || !isdigit(p[5]) || !isdigit(p[6]) || p[7] != '.' ||
        !isdigit(p[8]) || !isdigit(p[9]))
        return false;
    *major = (p[5] - '0') * 10 + p[6] - '0';
    *minor = (p[8] - '0') * 10 + p[9] - '0';
    return *major > 0;
}

/* Signatures of other formats that surveys may bring: bytes at an offset. */
static const struct {
    const char *name;
    int at;
    const char *bytes;
    int n;
} foreign[] = {
    {"a Kongsberg .kmall file", 4, "#I", 2}, /* installation datagrams come first */
    {"a Teledyne .s7k file", 4, "\xff\xff\0\0", 4},
    {"a Kongsberg .all file", 4, "\2I", 2}, /* the start of its first datagram */
};

/* Reports that the file is not GSF, and which format it is if that is known. */
static int not_gsf(struct gsf *g, const uint8_t *p)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!memcmp(p + foreign[i].at, foreign[i].bytes, (size_t)foreign[i].n))
            return err_set(-ENOTSUP, g->stream.path, 0,
                           "this is %s, and only GSF can be read: export it as GSF "
                           "from the program that processes it, such as QPS Qimera or "
                           "CARIS HIPS",
                           foreign[i].name);
    return bad(g, 0, "this is not a GSF file: it does not begin with a GSF header");
}

/* Checks the beginning of the file, before its first frame is used. */
static int check_start(struct gsf *g)
{
    int64_t left = gsf_stream_left(&g->stream);
    const uint8_t *p;
    if (!left)
        return bad(g, -1, "the file is empty");
    if (left < GSF_HEAD_BYTES + 4)
        return bad(g, -1, "this is not a GSF file: it is too short");
    int rc = gsf_stream_see(&g->stream, GSF_HEAD_BYTES + 4, &p);
    if (!rc && (gsf_get4(p + 4) & GSF_ID_MASK) != GSF_HEADER)
        rc = not_gsf(g, p);
    return rc;
}

static int gsf_read_header(struct gsf *g)
{
    struct record r;
    const uint8_t *p;
    int minor, rc = check_start(g);
    if (!rc)
        rc = next_record(g, &r);
    if (rc == 1)
        rc = see_data(g, &r, &p);
    if (rc)
        return rc;
    if (r.bytes < 10 || !parse_version(p, &g->pings.major, &minor))
        return bad(g, 0, "this is not a GSF file: its header names no version of GSF");
    snprintf(g->version, sizeof g->version, "%d.%02d", g->pings.major % 100, minor);
    if (g->pings.major > MAJOR_MAX)
        return err_set(-ENOTSUP, g->stream.path, 0,
                       "GSF version %s cannot be read: the last that can is %d.x",
                       g->version, MAJOR_MAX);
    gsf_pass(g, &r);
    return 0;
}

int gsf_open(struct gsf **g, const char *path)
{
    return gsf_open_source(g, path, NULL);
}

int gsf_open_source(struct gsf **out, const char *path, const struct gsf_source *source)
{
    struct gsf *g = mem_of(path, 1, sizeof *g, "reading the file");
    *out = NULL;
    if (!g)
        return -ENOMEM;
    g->cut = -1;
    int rc = gsf_stream_open(&g->stream, path, source);
    g->pings.path = g->stream.path;
    if (!rc)
        rc = gsf_read_header(g);
    if (rc)
        gsf_close(&g);
    *out = g;
    return rc;
}

void gsf_close(struct gsf **g)
{
    if (*g) {
        gsf_ping_free(&(*g)->pings);
        gsf_stream_close(&(*g)->stream);
    }
    free(*g);
    *g = NULL;
}

/* ---- pings ---------------------------------------------------------------------- */

static int read_ping(struct gsf *g, const struct record *r, struct gsf_ping *ping)
{
    const uint8_t *data;
    int rc = see_data(g, r, &data);
    if (!rc)
        rc = r->type == GSF_PING
                 ? gsf_ping_decode(&g->pings, data, r->bytes, r->offset + r->head, ping,
                                   &g->counts)
                 : gsf_ping_decode_single(&g->pings, data, r->bytes,
                                          r->offset + r->head, ping);
    if (rc)
        return rc;
    ping->offset = r->offset;
    ping->number = ++g->number;
    gsf_pass(g, r);
    return 1;
}

int gsf_next(struct gsf *g, struct gsf_ping *ping)
{
    struct record r;
    int rc = g->failed;
    while (!rc && (rc = next_record(g, &r)) == 1) {
        if (r.type == GSF_PING || r.type == GSF_SINGLE_BEAM) {
            rc = read_ping(g, &r, ping);
            break;
        }
        g->counts.skipped_bytes += r.bytes;
        gsf_pass(g, &r);
        rc = 0;
    }
    g->failed = rc < 0 ? rc : 0;
    return rc;
}

void gsf_take_cut(struct gsf *g)
{
    g->take_cut = true;
}

int64_t gsf_cut(const struct gsf *g)
{
    return g->cut;
}

const struct gsf_counts *gsf_counts(const struct gsf *g)
{
    return &g->counts;
}

const char *gsf_version(const struct gsf *g)
{
    return g->version;
}

int64_t gsf_bytes(const struct gsf *g)
{
    return g->stream.source.bytes;
}

int64_t gsf_position(const struct gsf *g)
{
    return g->stream.at;
}

const char *gsf_record_text(enum gsf_record type)
{
    static const char *const text[GSF_RECORDS] = {
        "other",       "header",       "ping",    "svp",       "processing",
        "sensor",      "comment",      "history", "nav_error", "summary",
        "single_beam", "hv_nav_error", "attitude"};
    return (unsigned)type < GSF_RECORDS ? text[type] : text[0];
}
