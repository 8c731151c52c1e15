/* The GSF reader: it reads what the writer wrote, and refuses invalid files with a
 * sentence that names the place. */
#include "tap.h"

#include "base/scratch.h"
#include "hydro/gsf_format.h"
#include "hydro/gsf_write.h"
#include <malloc.h>

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static char path[TAP_PATH];

/* ---- files, byte by byte -------------------------------------------------------- */

/* A file under construction; `at` is the place of the next byte. */
static struct {
    uint8_t byte[1 << 21];
    int at;
} file;

static void add4(uint32_t v)
{
    gsf_put4(file.byte + file.at, v);
    file.at += 4;
}

static void add(const void *data, int n)
{
    memcpy(file.byte + file.at, data, (size_t)n);
    file.at += n;
}

static void add_zeros(int n)
{
    memset(file.byte + file.at, 0, (size_t)n);
    file.at += n;
}

/* Begins a record; end_record fills in its size. */
static int begin_record(uint32_t id)
{
    int start = file.at;
    add4(0);
    add4(id);
    return start;
}

static void end_record(int start)
{
    gsf_put4(file.byte + start, (uint32_t)(file.at - start - GSF_HEAD_BYTES));
}

static void begin_file(const char *version)
{
    file.at = 0;
    int start = begin_record(GSF_HEADER);
    add(version, (int)strlen(version));
    add_zeros(GSF_VERSION_BYTES - (int)strlen(version));
    end_record(start);
}

/* Begins a ping's record, up to its first subrecord. */
static int begin_ping(int major, int beams)
{
    int start = begin_record(GSF_PING), head = file.at;
    add_zeros(gsf_ping_head_bytes(major));
    gsf_put4(file.byte + head, 1234567890);
    gsf_put4(file.byte + head + 8, (uint32_t)-1765000000); /* -176.5 degrees east */
    gsf_put4(file.byte + head + 12, 123456789);
    gsf_put2(file.byte + head + 16, (uint32_t)beams);
    gsf_put2(file.byte + head + 30, 35999);
    return start;
}

static void add_sub(int id, int bytes)
{
    add4((uint32_t)id << 24 | (uint32_t)bytes);
}

static void add_scale(int id, uint32_t flags, uint32_t multiplier, int32_t offset)
{
    add_sub(GSF_SUB_SCALES, 16);
    add4(1);
    add4((uint32_t)id << 24 | flags << 16);
    add4(multiplier);
    add4((uint32_t)offset);
}

/* Some file systems store a file at once that was cut to nothing before. */
static void save(const void *bytes, int n)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (write(fd, bytes, (size_t)n) != n || ftruncate(fd, n) || close(fd))
        tap_ok(0, "the test can write its file");
}

/* ---- reading -------------------------------------------------------------------- */

/* Reads all pings of the file at `path`. Returns 0, or the result of the reader. Leaves
 * the last ping in *p, whose arrays stay valid until the next call. */
static struct gsf *reader;

static int read_all(struct gsf_ping *p, int64_t *pings)
{
    gsf_close(&reader);
    err_clear();
    *pings = 0;
    int rc = gsf_open(&reader, path);
    while (!rc && (rc = gsf_next(reader, p)) == 1) {
        ++*pings;
        rc = 0;
    }
    return rc;
}

static int read_built(struct gsf_ping *p)
{
    int64_t pings;
    save(file.byte, file.at);
    return read_all(p, &pings);
}

static void refused(int code, int64_t offset, const char *part, const char *what)
{
    struct gsf_ping p;
    int rc = read_built(&p);
    struct err e = *err_get();
    tap_ok(tap_refused(rc, code, part) && e.offset == offset && !strcmp(e.file, path),
           "%s is refused", what);
    if (e.offset != offset)
        tap_diag("offset %lld, not %lld", (long long)e.offset, (long long)offset);
}

/* ---- round trips ---------------------------------------------------------------- */

enum { BEAMS = 301 };

static double depth[BEAMS], across[BEAMS], along[BEAMS];
static uint8_t flag[BEAMS];

static struct gsf_ping make_ping(int i, int beams)
{
    for (int k = 0; k < beams; k++) {
        depth[k] = 20 + 0.01 * ((i * 31 + k * 7) % 10000);
        across[k] = 0.01 * (k - beams / 2) * (1 + i % 60);
        along[k] = -0.01 * ((i + k) % 120);
        flag[k] = (uint8_t)(k * 5 + i);
    }
    return (struct gsf_ping){.time_s = 1000000 + i,
                             .time_ns = 1000 * i,
                             .lat = -45.1234567 + i * 1e-6,
                             .lon = 179.9999999 - i * 1e-6,
                             .heading = 0.01 * (i % 36000),
                             .flags = (unsigned)i & 0xffff,
                             .beams = beams,
                             .depth = depth,
                             .across = across,
                             .along = along,
                             .flag = flag};
}

static bool near(const double *a, const double *b, int n, double step)
{
    bool all = true;
    for (int i = 0; i < n; i++)
        all = all && fabs(a[i] - b[i]) <= step / 2 * 1.0001;
    return all;
}

static bool same_ping(const struct gsf_ping *p, const struct gsf_ping *q, double step)
{
    return p->time_s == q->time_s && p->time_ns == q->time_ns &&
           fabs(p->lat - q->lat) < 1e-10 && fabs(p->lon - q->lon) < 1e-10 &&
           fabs(p->heading - q->heading) < 1e-9 && p->flags == q->flags &&
           p->beams == q->beams && p->ignored == (q->flags & 1) && p->placed &&
           p->headed && near(p->depth, q->depth, q->beams, step) &&
           near(p->across, q->across, q->beams, step) &&
           near(p->along, q->along, q->beams, step) &&
           !memcmp(p->flag, q->flag, (size_t)q->beams);
}

/* Writes and reads pings of 1, 2, ... beams, so that arrays begin at all alignments. */
static void round_trip(const char *what, const struct gsf_write_form *form, int pings)
{
    struct gsf_writer *w;
    struct gsf_ping p, q;
    double step = 1.0 / form->depth.multiplier;
    bool same = true;
    err_clear();
    int i = 0, rc = gsf_write_open(&w, path, form);
    for (; i < pings && !rc; i++) {
        q = make_ping(i, 1 + i % BEAMS);
        rc = gsf_write_ping(w, &q);
        if (i % 10 == 3 && !rc)
            rc = gsf_write_record(w, GSF_ATTITUDE, "some attitude", 13);
        if (i % 10 == 4 && !rc)
            rc = gsf_write_record(w, 5 << 12 | GSF_PING, "private", 7);
    }
    int closed = gsf_write_close(&w, true);
    tap_ok(!rc && !closed, "%s: written", what);
    gsf_close(&reader);
    rc = gsf_open(&reader, path);
    for (i = 0; !rc && (rc = gsf_next(reader, &p)) == 1; i++, rc = 0) {
        q = make_ping(i, 1 + i % BEAMS);
        same = same && same_ping(&p, &q, step) && p.number == i + 1;
    }
    tap_ok(!rc && i == pings && same, "%s: %d pings come back (%s)", what, i,
           err_get()->text);
    const struct gsf_counts *c = gsf_counts(reader);
    tap_ok(c->records[GSF_PING] == pings && c->records[GSF_ATTITUDE] == pings / 10 &&
               c->records[0] == pings / 10 &&
               c->checksums == (form->checksums ? pings + 1 : 0) &&
               gsf_position(reader) == gsf_bytes(reader),
           "%s: records and checksums are counted", what);
    unlink(path);
}

static void test_round_trips(void)
{
    const struct gsf_write_array two = {2, 100, 0}, four = {4, 1000, 0};
    const struct gsf_write_array fine = {4, 10000, 250};
    struct gsf_write_form form = {3, 9, false, false, two, two, two};
    round_trip("two bytes", &form, 1000);
    form.checksums = true;
    round_trip("with checksums", &form, 1000);
    form = (struct gsf_write_form){2, 9, false, false, four, four, four};
    round_trip("four bytes, version 2", &form, 1000);
    form = (struct gsf_write_form){1, 1, true, false, fine, fine, fine};
    round_trip("four bytes with an offset, version 1", &form, 100);
    form = (struct gsf_write_form){3, 11, true, false, two, two, two};
    round_trip("a file of several windows", &form, 5000);
}

/* Tests values at the ends of each width, and one step beyond them. */
static void width_is(int width, bool sign, double low, double high)
{
    struct gsf_write_form form = {.major = 3, .minor = 1};
    struct gsf_write_array array = {width, 1, 0};
    struct gsf_ping p, q = make_ping(0, 2);
    struct gsf_writer *w;
    double value[] = {low, high}, over[] = {low, high + 1}, under[] = {low - 1, high};
    int64_t pings;
    *(sign ? &form.across : &form.depth) = array;
    q.depth = q.across = value;
    err_clear();
    int rc = gsf_write_open(&w, path, &form);
    rc = rc ? rc : gsf_write_ping(w, &q);
    q.depth = q.across = over;
    int above = gsf_write_ping(w, &q);
    q.depth = q.across = under;
    int below = gsf_write_ping(w, &q);
    tap_ok(!rc && above == -ERANGE && below == -ERANGE,
           "%d bytes %s sign hold %.0f to %.0f and no more", width,
           sign ? "with" : "without", low, high);
    err_clear();
    rc = gsf_write_close(&w, true);
    rc = rc ? rc : read_all(&p, &pings);
    const double *got = sign ? p.across : p.depth, *none = sign ? p.depth : p.across;
    tap_ok(!rc && pings == 1 && got[0] == low && got[1] == high && !none[0],
           "and they come back");
    unlink(path);
}

static void test_widths(void)
{
    width_is(1, false, 0, 255);
    width_is(2, false, 0, 65535);
    width_is(4, false, 0, 4294967295.0);
    width_is(1, true, -128, 127);
    width_is(2, true, -32768, 32767);
    width_is(4, true, -2147483648.0, 2147483647);
}

static void test_writer_refusals(void)
{
    struct gsf_write_form form = {3, 9, false, false, {2, 100, 0}, {0}, {0}};
    struct gsf_ping p = make_ping(0, 1);
    struct gsf_writer *w;
    err_clear();
    tap_ok(!gsf_write_open(&w, path, &form), "a file is created");
    p.beams = 70000;
    tap_ok(gsf_write_ping(w, &p) == -ERANGE, "a ping of 70000 beams is refused");
    tap_ok(gsf_write_record(w, 6, file.byte, 600000) == -ERANGE,
           "a record of 600000 bytes is refused");
    err_clear();
    tap_ok(!gsf_write_close(&w, false) && access(path, F_OK), "and it is taken back");
    save("mine", 4);
    tap_ok(gsf_write_open(&w, path, &form) == -EEXIST && !w,
           "a file that exists is not touched");
    struct stat st;
    tap_ok(!stat(path, &st) && st.st_size == 4, "it is as it was");
    unlink(path);
}

/* ---- valid contents ------------------------------------------------------------- */

static void test_sticky_scales(void)
{
    struct gsf_ping p;
    int64_t pings = 0;
    begin_file("GSF-v03.09");
    for (int i = 0; i < 4; i++) {
        int start = begin_ping(3, 2);
        if (i == 0 || i == 2)
            add_scale(GSF_DEPTH, 0x20, i ? 1000 : 10, i ? -5 : 0);
        add_sub(GSF_DEPTH, 4);
        add4(1000 << 16 | 65535);
        end_record(start);
    }
    save(file.byte, file.at);
    gsf_close(&reader);
    err_clear();
    const double expected[4][2] = {
        {100, 6553.5}, {100, 6553.5}, {6, 70.535}, {6, 70.535}};
    int rc = gsf_open(&reader, path);
    bool same = true;
    while (!rc && (rc = gsf_next(reader, &p)) == 1) {
        same = same && p.depth[0] == expected[pings][0] &&
               p.depth[1] == expected[pings][1];
        pings++;
        rc = 0;
    }
    tap_ok(!rc && pings == 4 && same, "scale factors hold until the next ones");
    tap_ok(p.time_s == 1234567890 && p.lon == -176.5 && p.lat == 12.3456789 &&
               p.heading == 359.99 && p.placed && p.headed,
           "time, position and heading");
    tap_ok(p.has == 1u << GSF_DEPTH && !p.across[1] && !p.along[1] && !p.flag[1],
           "arrays that are not there are 0");
}

static void test_nominal(void)
{
    struct gsf_ping p;
    for (int both = 0; both < 3; both++) {
        begin_file("GSF-v03.09");
        int start = begin_ping(3, 1);
        add_scale(GSF_NOMINAL, 0, 1, 0);
        if (both == 1) {
            add_scale(GSF_DEPTH, 0, 1, 0);
            add_sub(GSF_DEPTH, 2);
            add("\0\7", 2);
        }
        add_sub(GSF_NOMINAL, 2);
        add("\0\11", 2);
        if (both == 2) {
            add_scale(GSF_DEPTH, 0, 1, 0);
            add_sub(GSF_DEPTH, 2);
            add("\0\7", 2);
        }
        end_record(start);
        tap_ok(!read_built(&p) && p.depth[0] == (both ? 7 : 9),
               "the nominal depth stands in for no depth%s",
               both == 0   ? ""
               : both == 1 ? ", and not for one before it"
                           : ", and not for one after it");
    }
}

static void test_oddities(void)
{
    struct gsf_ping p;
    begin_file("GSF-v03.09");
    int start = begin_ping(3, 1);
    add_scale(7, 0, 0, 0);
    end_record(start);
    tap_ok(!read_built(&p), "a scale factor of 0 of an array that is not needed");
    begin_file("GSF-v02.09");
    start = begin_ping(2, 0);
    add_sub(150, 5);
    add_zeros(5 + 4); /* a sensor's own data, unaligned, then a word of padding */
    add_sub(GSF_SUB_SCALES, 4);
    add4(0);
    add_zeros(3);
    end_record(start);
    tap_ok(!read_built(&p) && p.beams == 0 &&
               gsf_counts(reader)->subrecords[150] == 1 &&
               gsf_counts(reader)->subrecords[0] == 1,
           "no beams, another sensor's subrecord, and padding");
    begin_file("GSF-v03.01");
    start = begin_ping(3, 3);
    gsf_put4(file.byte + start + 16, 1810000000);
    gsf_put4(file.byte + start + 20, 910000000);
    gsf_put2(file.byte + start + 38, 36100);
    gsf_put2(file.byte + start + 28, 0x8001);
    end_record(start);
    tap_ok(!read_built(&p) && p.lat == GSF_NULL_LAT && p.lon == GSF_NULL_LON &&
               p.heading == GSF_NULL_HEADING && !p.placed && !p.headed && p.ignored &&
               p.flags == 0x8001 && p.beams == 3 && !p.depth[2],
           "values that are not known; a ping to ignore");
}

/* ---- invalid contents ----------------------------------------------------------- */

static void test_not_gsf(void)
{
    struct gsf_ping p;
    int64_t pings;
    file.at = 0;
    refused(-EBADMSG, -1, "empty", "an empty file");
    add("GSF-v03", 7);
    refused(-EBADMSG, -1, "not a GSF file", "a file of 7 bytes");
    add_zeros(100000);
    refused(-EBADMSG, 0, "not a GSF file", "a file of zeros");
    begin_file("FSG-v03.09");
    refused(-EBADMSG, 0, "names no version", "another header");
    begin_file("GSF-v0309.");
    refused(-EBADMSG, 0, "names no version", "no version");
    begin_file("GSF-v03.12");
    tap_ok(!read_built(&p) && !strcmp(gsf_version(reader), "3.12"),
           "a version to come that may only add to this one is read");
    begin_file("GSF-v04.00");
    refused(-ENOTSUP, 0, "version 4.00 cannot be read", "a version to come");
    unlink(path);
    tap_ok(tap_refused(read_all(&p, &pings), -ENOENT, "No such file"),
           "a file that is not there is refused");
    mkdir(path, 0700);
    tap_ok(read_all(&p, &pings) == -EISDIR && !strcmp(err_get()->file, path),
           "a directory is refused");
    rmdir(path);
    mkfifo(path, 0600);
    tap_ok(tap_refused(read_all(&p, &pings), -EINVAL, "pipe"),
           "a pipe is refused, and not waited for");
    unlink(path);
}

static void test_bad_records(void)
{
    begin_file("GSF-v03.09");
    int before = file.at;
    add_zeros(64);
    refused(-EBADMSG, before, "no record begins here", "a tail of zeros");
    file.at = before;
    add4(GSF_RECORD_MAX + 4);
    add4(GSF_COMMENT);
    add_zeros(GSF_RECORD_MAX + 4);
    refused(-EBADMSG, before, "and GSF allows 524288", "a record that is too large");
    file.at = before;
    add4(100);
    add4(GSF_COMMENT);
    add_zeros(99);
    refused(-EBADMSG, before, "cut short", "a record that is not all there");
    file.at = before;
    add4(100);
    refused(-EBADMSG, before, "cut short", "half a record's head");
    file.at = before;
    int start = begin_record(GSF_PING);
    add_zeros(55);
    end_record(start);
    refused(-EBADMSG, before + 8, "fewer than the 56", "a ping that is too short");
}

/* Tests one subrecord in a ping of 4 beams, refused at `at` bytes into it. */
static void bad_sub(int code, int id, int bytes, const void *data, int at,
                    const char *part, const char *what)
{
    begin_file("GSF-v03.09");
    int start = begin_ping(3, 4);
    add_scale(GSF_DEPTH, 0x20, 100, 0);
    add_scale(GSF_ACROSS, 0x21, 100, 0);
    int before = file.at;
    add_sub(id, bytes);
    add(data, 32);
    end_record(start);
    refused(code, before + at, part, what);
}

static void test_bad_pings(void)
{
    static const uint8_t zeros[32], many[32] = {0xff, 0xff, 0xff, 0xff};
    static const uint8_t zero_scale[32] = {0, 0, 0, 1, 1, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 9};
    bad_sub(-EBADMSG, GSF_DEPTH, 33, zeros, 0, "33 bytes, and 32 are left",
            "a subrecord that is larger than its ping");
    bad_sub(-EBADMSG, GSF_DEPTH, 12, zeros, 4, "12 bytes for 4 beams",
            "an array of 3 bytes for a beam");
    bad_sub(-EBADMSG, GSF_DEPTH, 10, zeros, 4, "10 bytes for 4 beams",
            "an array of 2.5 bytes for a beam");
    bad_sub(-EBADMSG, GSF_DEPTH, 0, zeros, 4, "0 bytes for 4 beams", "an empty array");
    bad_sub(-EBADMSG, GSF_DEPTH, 32, zeros, 4, "32 bytes for 4 beams",
            "an array of 8 bytes for a beam");
    bad_sub(-EBADMSG, GSF_FLAGS, 8, zeros, 4, "8 bytes for 4 beams",
            "beam flags of 2 bytes");
    bad_sub(-EBADMSG, GSF_ALONG, 8, zeros, 4, "along-track array comes before",
            "an array without a scale factor");
    bad_sub(-ENOTSUP, GSF_ACROSS, 8, zeros, 4, "across-track array is compressed",
            "a compressed array");
    bad_sub(-EBADMSG, GSF_SUB_SCALES, 32, many, 4, "4294967295 scale factors",
            "a list of 2^32 scale factors");
    bad_sub(-EBADMSG, GSF_SUB_SCALES, 3, zeros, 4, "do not fit",
            "a list of scale factors of 3 bytes");
    bad_sub(-EBADMSG, GSF_SUB_SCALES, 16, zero_scale, 8, "array 1 is 0",
            "a scale factor of 0");
    bad_sub(-EBADMSG, GSF_SUB_INTENSITIES, 37, zeros, 0, "37 bytes, and 32 are left",
            "a series of intensities that is larger than its ping and its own head");
}

/* A file whose beams would silently be lost is refused. */
static void test_no_beams(void)
{
    static const int ids[] = {GSF_DEPTH, GSF_NOMINAL, GSF_ACROSS, GSF_ALONG, GSF_FLAGS};
    struct gsf_ping p;
    for (int i = 0; i < COUNT(ids); i++) {
        begin_file("GSF-v03.09");
        int start = begin_ping(3, 0);
        add_scale(GSF_DEPTH, 0x20, 100, 0);
        add_sub(ids[i], 12);
        int at = file.at;
        add_zeros(12);
        end_record(start);
        refused(-EBADMSG, at, "12 bytes, and its ping says that it has no beams",
                "a ping that has an array but no beams");
    }
    begin_file("GSF-v03.09");
    int start = begin_ping(3, 0);
    add_sub(GSF_DEPTH, 0);
    add_sub(4, 8); /* travel times, which are not used */
    add_zeros(8);
    end_record(start);
    tap_ok(!read_built(&p) && !p.beams, "an empty array of no beams is none");
}

/* Intensities as the reference library writes them, with their own head in their size:
 * 4 bytes too many, less the padding of the ping. */
static void test_intensities(void)
{
    struct gsf_ping p;
    for (int over = 0; over <= GSF_SUB_HEAD; over++) {
        begin_file("GSF-v03.09");
        for (int i = 0; i < 2; i++) {
            int start = begin_ping(3, 4);
            add_scale(GSF_DEPTH, 0x20, 100, 0);
            add_sub(GSF_DEPTH, 8);
            add_zeros(7);
            add("\7", 1);
            add_sub(GSF_SUB_INTENSITIES, 32 + over);
            add_zeros(32);
            end_record(start);
        }
        tap_ok(!read_built(&p) && p.number == 2 && p.depth[3] == 0.07 &&
                   gsf_counts(reader)->subrecords[GSF_SUB_INTENSITIES] == 2,
               "intensities of %d bytes more than are left of the ping", over);
    }
}

/* ---- damage --------------------------------------------------------------------- */

/* Makes a small file with all kinds of records, as bytes in `file`. */
static void make_sample(bool checksums)
{
    struct gsf_write_form form = {3,           9,           checksums, false,
                                  {2, 100, 0}, {2, 100, 0}, {1, 1, 0}};
    struct gsf_writer *w;
    err_clear();
    unlink(path);
    int rc = gsf_write_open(&w, path, &form);
    for (int i = 0; i < 4 && !rc; i++) {
        struct gsf_ping p = make_ping(i, 11);
        rc = gsf_write_ping(w, &p);
        rc = rc ? rc : gsf_write_record(w, GSF_COMMENT, "said by somebody", 16);
    }
    rc = rc ? rc : gsf_write_close(&w, true);
    int fd = open(path, O_RDONLY);
    file.at = (int)read(fd, file.byte, sizeof file.byte);
    close(fd);
    tap_ok(!rc && file.at > 500, "a sample of %d bytes", file.at);
}

/* True if a failure is one sentence about this file. */
static bool explained(int rc)
{
    const struct err *e = err_get();
    return rc < 0 && e->code == rc && !strcmp(e->file, path) && e->text[0] &&
           e->offset >= -1 && e->offset <= file.at;
}

/* Every truncation is refused, except between records, where a shorter file is
 * valid. */
static void test_truncations(void)
{
    struct gsf_ping p;
    int64_t pings;
    int fine = 0, failures = 0, wrong = 0, whole = file.at;
    for (int n = 0; n < whole; n++) {
        save(file.byte, n);
        int rc = read_all(&p, &pings);
        fine += !rc;
        failures += rc < 0;
        wrong += rc && !explained(rc);
    }
    tap_ok(fine == 8 && failures == whole - fine && !wrong,
           "cut to any length: %d between records, %d refused", fine, failures);
}

static void flip(int bit)
{
    file.byte[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/* With checksums every flipped bit of a ping's data is detected; none may crash. */
static void test_flips(bool checksums)
{
    struct gsf_ping p;
    int64_t pings;
    int failures = 0, wrong = 0, unseen = 0, first_ping = 8 + GSF_VERSION_BYTES;
    first_ping += checksums ? 4 : 0;
    int data = first_ping + 12, data_end = data + (int)gsf_get4(file.byte + first_ping);
    for (int bit = 0; bit < file.at * 8; bit++) {
        flip(bit);
        save(file.byte, file.at);
        int rc = read_all(&p, &pings);
        failures += rc < 0;
        wrong += rc && !explained(rc);
        unseen += !rc && bit / 8 >= data && bit / 8 < data_end;
        flip(bit);
    }
    tap_ok(!wrong && failures > 100,
           "%d of %d flipped bits are refused, with a sentence", failures, file.at * 8);
    if (checksums)
        tap_ok(!unseen, "with checksums none in a ping's data goes unseen");
}

/* ---- memory --------------------------------------------------------------------- */

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Reads the whole file. Returns the memory that the reader allocated, and in *more that
 * after the first ping. */
static size_t take_memory(size_t *more)
{
    struct gsf_ping p;
    size_t before = allocated();
    int rc = gsf_open(&reader, path);
    rc = rc ? rc : gsf_next(reader, &p);
    size_t early = allocated();
    while (rc == 1)
        rc = gsf_next(reader, &p);
    size_t late = allocated();
    gsf_close(&reader);
    *more = late - early;
    return rc ? 0 : late - before;
}

/* It runs again and again, as the allocator keeps a few freed pieces of each size. */
static void test_memory(void)
{
    size_t more, used, before;
    begin_file("GSF-v03.09");
    for (int i = 0; i < 2000; i++) {
        int start = begin_ping(3, 300);
        add_scale(GSF_DEPTH, 0x20, 100, 0);
        add_sub(GSF_DEPTH, 600);
        add_zeros(600);
        end_record(start);
    }
    save(file.byte, file.at);
    gsf_close(&reader);
    err_clear();
    for (int i = 0; i < 10; i++)
        take_memory(&more);
    before = allocated();
    used = take_memory(&more);
    if (!before) { /* a sanitizer's allocator counts nothing */
        tap_skip("how much a reader takes: the C library does not say");
        return;
    }
    tap_ok(!more, "nothing is allocated for a ping");
    tap_ok(used > 0 && used < 1 << 20, "a reader takes %zu bytes", used);
    tap_ok(allocated() == before, "and gives all of them back");
}

static void test_sticky_failure(void)
{
    struct gsf_ping p;
    begin_file("GSF-v03.09");
    int start = begin_ping(3, 1);
    add_sub(GSF_DEPTH, 2);
    add_zeros(2);
    end_record(start);
    tap_ok(read_built(&p) == -EBADMSG && gsf_next(reader, &p) == -EBADMSG,
           "a reader that failed does not go on");
    gsf_close(&reader);
    gsf_close(&reader);
    tap_ok(!reader, "closing twice is closing");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(path, "test.gsf");
    test_round_trips();
    test_widths();
    test_writer_refusals();
    test_sticky_scales();
    test_nominal();
    test_oddities();
    test_not_gsf();
    test_bad_records();
    test_bad_pings();
    test_no_beams();
    test_intensities();
    make_sample(false);
    test_truncations();
    test_flips(false);
    unlink(path);
    make_sample(true);
    test_flips(true);
    unlink(path);
    test_memory();
    test_sticky_failure();
    unlink(path);
    return tap_end();
}
