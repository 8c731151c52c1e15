/* Reads the pings of a file in the Generic Sensor Format (GSF), versions 1.0 to 3.x
 * (versions after 3.11 only add records): multibeam soundings as survey ships store
 * them, and those of single-beam echo sounders.
 *
 * It takes one pass, forwards, in pieces of fixed size; the memory of a reader does not
 * depend on the file. The bytes come from a function, so that a program can measure its
 * own reads. Scale factors hold until the next ones, so a ping cannot be decoded
 * without the earlier ones: a file is the smallest unit of work for a reader. No MPI;
 * any number of readers in one process. */
#ifndef HYDRO_GSF_H
#define HYDRO_GSF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum gsf_record {
    GSF_HEADER = 1,
    GSF_PING,
    GSF_SVP,
    GSF_PROCESSING,
    GSF_SENSOR,
    GSF_COMMENT,
    GSF_HISTORY,
    GSF_NAV_ERROR,
    GSF_SUMMARY,
    GSF_SINGLE_BEAM,
    GSF_HV_NAV_ERROR,
    GSF_ATTITUDE,
    GSF_RECORDS
};

/* Arrays of a ping that this reader decodes; a ping's `has` is a set of 1 << id. */
enum gsf_array {
    GSF_DEPTH = 1,
    GSF_ACROSS = 2,
    GSF_ALONG = 3,
    GSF_NOMINAL = 14, /* used if a ping has no GSF_DEPTH */
    GSF_FLAGS = 16
};

/* Beam flags: bit 0 says not to use the beam; the whole byte has the reason. */
enum {
    GSF_BEAM_IGNORE = 0x01,
    GSF_BEAM_NULL = 0x01, /* exactly this: no detection */
    GSF_BEAM_MANUAL = 0x05,
    GSF_BEAM_FILTER = 0x09
};
#define GSF_PING_IGNORE 0x0001

/* Values that mean "not known". */
#define GSF_NULL_LAT 91.0
#define GSF_NULL_LON 181.0
#define GSF_NULL_HEADING 361.0
#define GSF_NULL_DEPTH 0.0

/* A swath. Arrays have `beams` entries; missing ones are all 0. Tide and depth
 * corrections are included in the depths. The offsets of a single beam count, too. */
struct gsf_ping {
    int64_t number;  /* in its file, from 1 */
    int64_t offset;  /* of its record in the file, bytes */
    int64_t time_s;  /* since 1970, UTC */
    int32_t time_ns; /* nanoseconds of the second */
    double lat, lon; /* degrees, north and east */
    double heading;  /* degrees, clockwise from north */
    bool placed;     /* lat and lon are known, and on this planet */
    bool headed;     /* heading is known */
    bool ignored;    /* the whole ping is not to be used */
    bool single;     /* from a single-beam echo sounder: one beam, right below
                      * the ship */
    unsigned flags;  /* all flags of the ping */
    unsigned has;    /* arrays in the file: 1 << enum gsf_array */
    int beams;
    const double *depth;  /* m, down */
    const double *across; /* m, to starboard */
    const double *along;  /* m, forwards */
    const uint8_t *flag;  /* GSF_BEAM_... */
};

struct gsf_counts {
    int64_t records[GSF_RECORDS]; /* by enum gsf_record; 0: private or unknown types */
    int64_t subrecords[256];      /* of pings, by id; 0: words of padding */
    int64_t checksums;            /* verified checksums: of headers and pings */
    int64_t skipped_bytes;        /* bytes of records that were skipped */
};

struct gsf;

/* Local. Opens `path` and reads its header record into *g, which gsf_close frees.
 * Returns 0, or -errno with a sentence: it cannot be read, is no regular file, is
 * empty, is not GSF (a sonar's own file is named as such), or has a version newer
 * than 3.x. */
int gsf_open(struct gsf **g, const char *path);

/* Bytes of one read: few enough to be still in the processor's cache when they
 * are decoded. */
enum { GSF_READ_BYTES = 256 << 10 };

/* The source of a file's bytes. */
struct gsf_source {
    /* Local. Provides the bytes from `at` on: *n > 0 of them at *p until the next call,
     * whose `at` is not before their end. Returns 0, or -errno with a sentence. */
    int (*read)(void *context, int64_t at, const uint8_t **p, int64_t *n);
    void *context;
    int64_t bytes; /* of the file */
};

/* Local. The same, for an open file that *source, which is copied, reads; `path` is
 * for sentences. */
int gsf_open_source(struct gsf **g, const char *path, const struct gsf_source *source);

/* Local. Checks by its status that a file can be read at all: 0, or -errno with a
 * sentence if it is not a regular file. */
int gsf_check_file(const char *path, const struct stat *st);

/* Local. Accepts a file that is cut short: it then ends after its last
 * complete record. */
void gsf_take_cut(struct gsf *g);

/* Local. The offset of the record that was cut short, once gsf_next has come to it;
 * -1: none. */
int64_t gsf_cut(const struct gsf *g);

/* Local. Reads the next ping, multibeam or single-beam, in the order of the file.
 * Returns 1, with its arrays valid until the next call; 0 at the end of the file;
 * -errno with a sentence with file and byte offset if the file is cut short, violates
 * GSF (such as a ping with depths but no beams), a checksum is wrong, or a needed array
 * is compressed. After a failure all further calls return the same. */
int gsf_next(struct gsf *g, struct gsf_ping *ping);

/* Local. Counts of what was read so far. */
const struct gsf_counts *gsf_counts(const struct gsf *g);

/* Local. The version, "3.09"; the file's size; and the reader's position, in bytes. */
const char *gsf_version(const struct gsf *g);
int64_t gsf_bytes(const struct gsf *g);
int64_t gsf_position(const struct gsf *g);

void gsf_close(struct gsf **g); /* Local. Sets *g to NULL; it may be NULL before. */

/* Local. "ping", "attitude"; "other" for 0. */
const char *gsf_record_text(enum gsf_record type);

#endif
