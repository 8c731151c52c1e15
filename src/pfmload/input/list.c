#include "pfmload/input/list.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "pfmload/input/deal.h"
#include "world/world.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MB_GSF = 121, PATH_BYTES = 4096, LINE_BYTES = 4 * PATH_BYTES };

/* Identity of the file at a path, however the path is written. */
struct place {
    dev_t device;
    ino_t node;
    int64_t file; /* number of the file */
};

/* A list under construction, on rank 0. */
struct maker {
    struct list *list;
    struct place *place; /* of each file; allocated like list->file */
    int64_t room;
    struct place *seen; /* lists read so far */
    int64_t lists;
    bool skip_bad;
};

static struct place list_place_of(const struct stat *st, int64_t file)
{
    return (struct place){st->st_dev, st->st_ino, file};
}

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->device != q->device)
        return p->device < q->device ? -1 : 1;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    return p->file < q->file ? -1 : p->file > q->file;
}

/* ---- files ---------------------------------------------------------------------- */

int list_mark_bad(struct list *l, int64_t i, const char *why)
{
    const struct err *e = err_get();
    char text[LIST_WHY];
    _Static_assert(sizeof e->text + 32 <= sizeof text, "the longest sentence fits");
    int n = snprintf(text, sizeof text, "%s", why ? why : e->text);
    if (!why && e->offset >= 0)
        snprintf(text + n, sizeof text - (size_t)n, " (offset %lld)",
                 (long long)e->offset);
    if (!why)
        err_clear();
    l->file[i].bad = mem_text(text, "the list of input files");
    l->bytes -= l->file[i].bytes;
    return l->file[i].bad ? 0 : -ENOMEM;
}

/* Gets the status of a regular file, or reports why it is none. */
static int list_look(const char *path, struct stat *st)
{
    if (stat(path, st))
        return err_set(-errno, path, -1, "the file cannot be looked at: %s",
                       strerror(errno));
    if (!S_ISREG(st->st_mode))
        return err_set(S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL, path, -1,
                       "this is %s, not a regular file",
                       S_ISDIR(st->st_mode) ? "a directory" : "a device or a pipe");
    return 0;
}

static int list_make_room(struct maker *m)
{
    if (m->list->n < m->room)
        return 0;
    int64_t room = m->room ? 2 * m->room : 64;
    struct list_file *file =
        mem_grow(m->list->file, room, sizeof *file, "the list of input files");
    if (file)
        m->list->file = file;
    struct place *place =
        mem_grow(m->place, room, sizeof *place, "the list of input files");
    if (place)
        m->place = place;
    if (!file || !place)
        return -ENOMEM;
    m->room = room;
    return 0;
}

static int add_file(struct maker *m, const char *path)
{
    struct list *l = m->list;
    struct stat st = {0};
    int rc = list_make_room(m);
    if (rc)
        return rc;
    int64_t i = l->n;
    char *copy = mem_text(path, "the list of input files");
    if (!copy)
        return -ENOMEM;
    l->file[l->n++] = (struct list_file){.path = copy};
    rc = list_look(path, &st);
    if (rc && !m->skip_bad)
        return rc;
    m->place[i] = list_place_of(&st, i);
    if (rc)
        return list_mark_bad(l, i, NULL);
    l->file[i].bytes = st.st_size;
    l->bytes += st.st_size;
    return 0;
}

/* Refuses two names of one file; they are adjacent when all are sorted. */
static int check_twice(struct maker *m)
{
    const struct list_file *file = m->list->file;
    if (m->list->n > 1)
        qsort(m->place, (size_t)m->list->n, sizeof *m->place, compare_places);
    for (int64_t i = 1; i < m->list->n; i++) {
        const struct place *p = &m->place[i], *q = p - 1;
        if (p->device == q->device && p->node == q->node && !file[p->file].bad)
            return err_set(-EEXIST, file[p->file].path, -1,
                           "the file is named twice, first as \"%s\": its soundings "
                           "would be loaded twice",
                           file[q->file].path);
    }
    return 0;
}

/* ---- lists ---------------------------------------------------------------------- */

/* A parsed line of a list. */
struct line {
    const char *list;
    int64_t number;
    char *path;
    int64_t format;
};

static char *trim(char *text)
{
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = 0;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Cuts off the last word of a text of several words, and returns it; NULL: the text has
 * one word. */
static char *cut_word(char *text)
{
    char *at = text + strlen(text);
    while (at > text && !isspace((unsigned char)at[-1]))
        at--;
    if (at == text)
        return NULL;
    at[-1] = 0;
    trim(text);
    return at;
}

static bool is_number(const char *word)
{
    char *end;
    strtod(word, &end);
    return end != word && !*end;
}

/* Splits "path", "path format" or "path format weight"; a path may have spaces. */
static void list_split(struct line *line)
{
    char whole[PATH_BYTES], *last, *before;
    line->format = MB_GSF;
    snprintf(whole, sizeof whole, "%s", line->path);
    if (!(last = cut_word(whole)) || !is_number(last))
        return;
    before = cut_word(whole);
    const char *format =
        before && !units_parse_int(before, &line->format) ? before : last;
    if (units_parse_int(format, &line->format)) {
        line->format = MB_GSF;
        return;
    }
    cut_word(line->path);
    if (format == before)
        cut_word(line->path);
}

static int list_refuse(const struct line *line, const char *what, const char *why)
{
    return err_set(-EBADMSG, line->list, -1, "line %lld: %s %s",
                   (long long)line->number, what, why);
}

static int read_word(const struct line *line)
{
    const char *word = line->path;
    if (!strcmp(word, "$RAW") || !strcmp(word, "$NOPROCESSED"))
        return 0;
    if (!strcmp(word, "$PROCESSED"))
        return list_refuse(line, word,
                           "is not followed: name the processed files "
                           "themselves");
    return list_refuse(line, word, "is a word that is not known");
}

static int read_list(struct maker *m, const char *path, int depth);

static int read_line(struct maker *m, struct line *line, int depth)
{
    char path[PATH_BYTES];
    const char *slash = strrchr(line->list, '/'), *named;
    if (line->path[0] == '$')
        return read_word(line);
    if (!strncmp(line->path, "P:", 2))
        return list_refuse(line,
                           "P:", "is not followed: name the processed file itself");
    if (!strncmp(line->path, "R:", 2))
        line->path = trim(line->path + 2);
    list_split(line);
    named = line->path;
    int folder = *named == '/' || !slash ? 0 : (int)(slash - line->list) + 1;
    int n = snprintf(path, sizeof path, "%.*s%s", folder, line->list, named);
    if (n >= PATH_BYTES || !*named)
        return list_refuse(line, "the path", *named ? "is too long" : "is missing");
    if (line->format < 0)
        return read_list(m, path, depth + 1);
    if (line->format != MB_GSF)
        return list_refuse(line, named,
                           "is not of format 121 (GSF), which alone can be "
                           "loaded");
    return add_file(m, path);
}

/* Reads the next line. Returns 1, or 0 at the end; -1 if it is not text or too long: it
 * has a zero byte, or no end. */
static int next_line(FILE *in, char text[LINE_BYTES])
{
    int n = 0, c;
    while ((c = fgetc(in)) != EOF && c != '\n') {
        if (!c || n == LINE_BYTES - 1)
            return -1;
        text[n++] = (char)c;
    }
    text[n] = 0;
    return n || c == '\n';
}

static int read_lines(struct maker *m, FILE *in, const char *path, int depth)
{
    struct line line = {.list = path};
    char text[LINE_BYTES];
    int rc = 0, more;
    while (!rc && (more = next_line(in, text)) != 0) {
        line.number++;
        if (more < 0)
            rc = list_refuse(&line, "this", "is no text: is it a list of files?");
        else if (*(line.path = trim(text)) && *line.path != '#')
            rc = read_line(m, &line, depth);
    }
    if (!rc && ferror(in))
        rc = err_set(-errno, path, -1, "the list cannot be read: %s", strerror(errno));
    return rc;
}

/* Remembers a list, and refuses one that was named before: its files would be loaded
 * twice, or reading would never end. */
static int see_list(struct maker *m, FILE *in, const char *path)
{
    struct stat st;
    if (fstat(fileno(in), &st))
        return err_set(-errno, path, -1, "the list cannot be looked at: %s",
                       strerror(errno));
    for (int64_t i = 0; i < m->lists; i++)
        if (m->seen[i].device == st.st_dev && m->seen[i].node == st.st_ino)
            return err_set(-ELOOP, path, -1,
                           "the list is named twice, perhaps by a list that it names "
                           "itself");
    struct place *seen =
        mem_grow(m->seen, m->lists + 1, sizeof *seen, "the list of input files");
    if (!seen)
        return -ENOMEM;
    m->seen = seen;
    m->seen[m->lists++] = list_place_of(&st, 0);
    return 0;
}

static int read_list(struct maker *m, const char *path, int depth)
{
    if (depth > LIST_DEPTH_MAX)
        return err_set(-ELOOP, path, -1, "lists name each other more than %d deep",
                       LIST_DEPTH_MAX);
    FILE *in = fopen(path, "re");
    if (!in)
        return err_set(-errno, path, -1, "the list cannot be opened: %s",
                       strerror(errno));
    int rc = see_list(m, in, path);
    if (!rc)
        rc = read_lines(m, in, path, depth);
    fclose(in);
    return rc;
}

/* ---- one list on all ranks ------------------------------------------------------ */

static int list_make(struct list *l, const struct opt_rest *files,
                     const struct opt_list *lists, bool skip_bad)
{
    struct maker m = {.list = l, .skip_bad = skip_bad};
    int rc = 0;
    for (int i = 0; i < files->n && !rc; i++)
        rc = add_file(&m, files->item[i]);
    for (int i = 0; i < lists->n && !rc; i++)
        rc = read_list(&m, lists->item[i], 1);
    if (!rc)
        rc = check_twice(&m);
    if (!rc)
        rc = copies_check(l);
    if (!rc && !l->n)
        rc = err_usage("there is no input file: name some, or a list of them");
    free(m.place);
    free(m.seen);
    return rc;
}

/* Broadcasts any number of bytes, as MPI counts with int. */
static void share_bytes(void *data, int64_t bytes, MPI_Comm comm)
{
    enum { PIECE = 1 << 30 };
    for (int64_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE),
                  MPI_BYTE, 0, comm);
}

/* Packs all paths and sentences one after the other, each with its terminator. */
static int64_t list_pack(const struct list *l, char *text)
{
    int64_t at = 0;
    for (int64_t i = 0; i < l->n; i++)
        for (int k = 0; k < 2; k++) {
            const char *s = k ? l->file[i].bad : l->file[i].path;
            size_t n = s ? strlen(s) + 1 : 0;
            if (s && text)
                memcpy(text + at, s, n);
            at += (int64_t)n;
        }
    return at;
}

static int unpack(struct list *l, const char *text)
{
    bool all = true;
    for (int64_t i = 0; i < l->n; i++) {
        struct list_file *f = &l->file[i];
        all = (f->path = mem_text(text, "the list of input files")) && all;
        text += strlen(text) + 1;
        if (!f->bad)
            continue;
        all = (f->bad = mem_text(text, "the list of input files")) && all;
        text += strlen(text) + 1;
    }
    return all ? 0 : -ENOMEM;
}

static int list_share(struct list *l, MPI_Comm comm)
{
    int64_t head[3] = {l->n, l->bytes, list_pack(l, NULL)};
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(head, 3, MPI_INT64_T, 0, comm);
    char *text = mem_new(head[2], 1, "the list of input files");
    if (rank)
        l->file = mem_new(head[0], sizeof *l->file, "the list of input files");
    int rc = err_agree(comm, text && l->file ? 0 : -ENOMEM);
    if (!rc) {
        l->n = head[0];
        l->bytes = head[1];
        if (!rank)
            list_pack(l, text);
        /* Its pointers only tell whether there is a sentence. */
        share_bytes(l->file, l->n * (int64_t)sizeof *l->file, comm);
        share_bytes(text, head[2], comm);
        rc = err_agree(comm, rank ? unpack(l, text) : 0);
    }
    free(text);
    return rc;
}

int list_open(struct list **out, MPI_Comm comm, const struct opt_rest *files,
              const struct opt_list *lists, bool skip_bad)
{
    struct list *l = mem_new(1, sizeof *l, "the list of input files");
    int rank, rc = l ? 0 : -ENOMEM;
    MPI_Comm_rank(comm, &rank);
    if (!rc && !rank)
        rc = list_make(l, files, lists, skip_bad);
    rc = err_agree(comm, rc);
    if (!rc)
        rc = list_share(l, comm);
    if (rc)
        list_close(&l);
    *out = l;
    return rc;
}

void list_close(struct list **l)
{
    for (int64_t i = 0; *l && i < (*l)->n; i++) {
        free((*l)->file[i].path);
        free((*l)->file[i].bad);
    }
    if (*l)
        free((*l)->file);
    free(*l);
    *l = NULL;
}

int list_deal(const struct list *l, int ranks, int *rank_of)
{
    int64_t *bytes = mem_new(l->n, sizeof *bytes, "the list of input files");
    int rc = bytes ? 0 : -ENOMEM;
    for (int64_t i = 0; i < l->n && !rc; i++)
        bytes[i] = l->file[i].bad ? DEAL_NOBODY : l->file[i].bytes;
    rc = rc ? rc : deal(bytes, l->n, ranks, rank_of);
    free(bytes);
    return rc;
}
