#include "outcore/data/plant.h"
#include "base/err.h"
#include "run/set.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHRASE_MOST = 255, FILE_MOST = 64 << 20 };

/* ---- phrases --------------------------------------------------------------------- */

static int read_text(struct plant *p, FILE *in, const char *path)
{
    size_t n = 0, room = 1 << 16;
    for (;; room *= 2) {
        char *text = room > FILE_MOST ? NULL : realloc(p->text, room);
        if (!text)
            return err_set(-ENOMEM, path, -1, "there are more phrases than fit");
        p->text = text;
        n += fread(text + n, 1, room - 1 - n, in);
        if (n < room - 1)
            break;
    }
    p->text[n] = 0;
    if (ferror(in))
        return err_set(-EIO, path, -1, "the phrases cannot be read");
    return strlen(p->text) == n ? 0
                                : err_set(-EINVAL, path, (int64_t)strlen(p->text),
                                          "phrases are text, and this is a zero byte");
}

static int add(struct plant *p, char *line, const char *path)
{
    if (strlen(line) > PHRASE_MOST || strpbrk(line, "<>&"))
        return err_set(-EINVAL, path, line - p->text,
                       "a phrase has %d bytes at most, and none of < > &", PHRASE_MOST);
    if (p->n == p->most) {
        int64_t most = 2 * p->most + 1024;
        const char **phrase = realloc(p->phrase, (size_t)most * sizeof *phrase);
        if (!phrase)
            return err_set(-ENOMEM, path, -1, "no memory for the phrases");
        p->phrase = phrase;
        p->most = most;
    }
    p->phrase[p->n++] = line;
    return 0;
}

static int split(struct plant *p, const char *path)
{
    int rc = 0;
    char *rest = NULL;
    for (char *line = strtok_r(p->text, "\r\n", &rest); line && !rc;
         line = strtok_r(NULL, "\r\n", &rest))
        rc = add(p, line, path);
    if (!rc && !p->n)
        rc = err_set(-EINVAL, path, -1, "there is no phrase in it");
    return rc;
}

int plant_read(struct plant *p, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return err_set(-errno, path, -1, "the phrases cannot be opened: %s",
                       strerror(errno));
    int rc = read_text(p, in, path);
    fclose(in);
    return rc ? rc : split(p, path);
}

void plant_free(struct plant *p)
{
    free(p->text);
    free(p->phrase);
    *p = (struct plant){.n = 0};
}

/* ---- the truth ------------------------------------------------------------------- */

struct truth {
    const struct documents *d;
    FILE *out;
    char name[RUN_SET_NAME];
};

static void write_line(void *truth, int64_t at, int64_t phrase)
{
    const struct truth *t = truth;
    const char *text = t->d->phrase[phrase];
    fprintf(t->out, "%s\t%lld\t%zu\t%s\n", t->name, (long long)at, strlen(text), text);
}

int plant_truth(const struct documents *d, const char *path, void *room)
{
    struct truth t = {.d = d, .out = fopen(path, "wxb")};
    if (!t.out)
        return err_set(-errno, path, -1, "the truth cannot be written: %s",
                       strerror(errno));
    for (int64_t i = 0; i < d->n; i++) {
        run_set_member(i, t.name);
        documents_truth(d, i, room, write_line, &t);
    }
    int bad = ferror(t.out);
    if (fclose(t.out) || bad)
        return err_set(-EIO, path, -1, "the truth cannot be written in full");
    return 0;
}
