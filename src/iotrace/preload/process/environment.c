/* The variables of the environment that concern the recorder: as the program was given
 * them, and as the programs get them that it starts. */
#include "iotrace/format/program.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <string.h>

extern char **environ;

enum {
    MARK_BYTES = 48,
    OURS_MOST = 64, /* variables that are kept */
    /* A program can start itself again and again until it is not preloaded: a process
     * that has had so many logs is let go. */
    EXECS_MOST = 32
};

#define PRELOAD "LD_PRELOAD="
#define PROCESS "IOTRACE_PROCESS="

/* The program may change and overwrite its environment, or start others with another
 * one, and their logs would be lost. */
static struct {
    bool known;
    int n;
    char *entry[OURS_MOST], text[16384], *end;
    char library
        [PATH_BYTES]; /* this library, by its word of LD_PRELOAD; "": not there */
} ours;

static bool begins(const char *entry, const char *with)
{
    return !strncmp(entry, with, strlen(with));
}

/* ---- words of LD_PRELOAD ---- */

/* Returns the word at or after `from`, and its length; NULL: there is none. */
static const char *word_at(const char *from, size_t *n)
{
    from += strspn(from, ": ");
    *n = strcspn(from, ": ");
    return *n ? from : NULL;
}

static bool is_us(const char *word, size_t n)
{
    return memmem(word, n, "iotrace.so", sizeof "iotrace.so" - 1) != NULL;
}

static void keep_library(const char *list)
{
    size_t n;
    for (const char *w = list; (w = word_at(w, &n)); w += n)
        if (is_us(w, n) && n < sizeof ours.library)
            snprintf(ours.library, sizeof ours.library, "%.*s", (int)n, w);
}

static char *put_word(char *to, const char *word, size_t n)
{
    if (to[-1] != '=')
        *to++ = ':';
    return mempcpy(to, word, n);
}

/* Writes the line LD_PRELOAD with the words of `from` (NULL: none), and with this
 * library or without it. */
static void put_preload(char *to, const char *from, bool with)
{
    size_t n;
    to = stpcpy(to, PRELOAD);
    for (const char *w = from; w && (w = word_at(w, &n)); w += n)
        if (!is_us(w, n))
            to = put_word(to, w, n);
    if (with)
        to = put_word(to, ours.library, strlen(ours.library));
    *to = 0;
}

/* ---- at the begin ---- */

void environment_keep(void)
{
    ours.end = ours.text;
    for (char *const *e = environ; e && *e; e++) {
        size_t bytes = strlen(*e) + 1;
        if (begins(*e, PRELOAD))
            keep_library(*e + strlen(PRELOAD));
        if (begins(*e, "IOTRACE_") && ours.n < OURS_MOST &&
            bytes <= (size_t)(ours.text + sizeof ours.text - ours.end)) {
            ours.entry[ours.n++] = ours.end;
            ours.end = mempcpy(ours.end, *e, bytes);
        }
    }
    ours.known = true;
}

bool environment_is_known(void)
{
    return environ || ours.known;
}

static const char *value_of(const char *entry, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(entry, name, n) && entry[n] == '=' ? entry + n + 1 : NULL;
}

const char *environment(const char *name)
{
    const char *value = NULL;
    if (ours.known && begins(name, "IOTRACE_"))
        for (int i = 0; i < ours.n && !value; i++)
            value = value_of(ours.entry[i], name);
    else
        for (char *const *e = environ; e && *e && !value; e++)
            value = value_of(*e, name);
    return value;
}

/* ---- for another program ---- */

static int count(char *const list[])
{
    int n = 0;
    while (list && list[n])
        n++;
    return n;
}

static const char *preload_of(char *const list[])
{
    const char *value = NULL;
    for (; list && *list; list++)
        if (begins(*list, PRELOAD))
            value = *list + strlen(PRELOAD);
    return value;
}

static bool names_us(const char *list)
{
    size_t n;
    for (const char *w = list; w && (w = word_at(w, &n)); w += n)
        if (is_us(w, n))
            return true;
    return false;
}

/* True if the list has a variable of the entry's name. */
static bool has_variable(char *const list[], const char *entry)
{
    size_t n = strcspn(entry, "=") + 1;
    for (; list && *list; list++)
        if (!strncmp(*list, entry, n))
            return true;
    return false;
}

/* True if the recorder follows into programs whose environment does not ask for it. */
static bool follows(void)
{
    const char *how = environment("IOTRACE_FOLLOW");
    return *ours.library && recorder_generation() < EXECS_MOST &&
           !(how && !strcmp(how, "environment"));
}

size_t environment_room(char *const given[])
{
    const char *preload = preload_of(given);
    return ((size_t)count(given) + OURS_MOST + 3) * sizeof(char *) + MARK_BYTES +
           sizeof PRELOAD + (preload ? strlen(preload) : 0) + 1 + strlen(ours.library);
}

/* Copies a list without the lines that are written anew. */
static char **copy_others(char **to, char *const from[], bool preload, bool process)
{
    for (; from && *from; from++)
        if (!(preload && begins(*from, PRELOAD)) &&
            !(process && begins(*from, PROCESS)))
            *to++ = *from;
    return to;
}

char *const *environment_next(void *room, char *const given[], uint32_t kinds,
                              bool continues)
{
    bool alien = kinds & PROGRAM_ALIEN, named = names_us(preload_of(given));
    bool adds = !alien && !(kinds & PROGRAM_PRIVILEGED) && follows();
    bool preload = alien ? named : adds && !named;
    if (!ours.known || !(preload || adds || continues))
        return given;
    char **list = room, *text = (char *)(list + count(given) + OURS_MOST + 3);
    char **to = copy_others(list, given, preload, continues);
    for (int i = 0; adds && i < ours.n; i++)
        if (!begins(ours.entry[i], PROCESS) && !has_variable(given, ours.entry[i]))
            *to++ = ours.entry[i];
    if (continues) {
        snprintf(text, MARK_BYTES, PROCESS "%d.%u", (int)sys_pid(),
                 recorder_generation());
        *to++ = text;
    }
    if (preload) {
        put_preload(text + MARK_BYTES, preload_of(given), adds);
        *to++ = text + MARK_BYTES;
    }
    *to = NULL;
    return list;
}
