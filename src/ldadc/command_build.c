/* build: runs the compiler's command with rewritten sources. */
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "ldadc/rewrite.h"
#include "ldadc/source.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    const char *include, *lib;
    struct opt_list assume;
    bool all, quiet;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TEXT, .name = "include", .value = &set.include,
     .preset = LDADC_INCLUDEDIR, .arg = "DIR", .help = "where <ldad.h> is",
     .text = "The directory of <ldad.h>."},
    {.kind = OPT_TEXT, .name = "lib", .value = &set.lib, .preset = LDADC_LIBDIR,
     .arg = "DIR", .help = "where libldad is",
     .text = "The directory of libldad."},
    REWRITE_ALL(set.all),
    SOURCE_ASSUME(set),
    {.kind = OPT_FLAG, .name = "quiet", .value = &set.quiet, .preset = "no",
     .help = "do not say what becomes of each file",
     .text = "Do not print the result for each file."},
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldadc build",
    .line = "-- MPICC ARGS...",
    .about = "Compiles and links as the command after -- does, but with the sources in "
             "it rewritten as ldadc rewrite does. Where there is no file that can be "
             "partitioned, the command is run as it is.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

enum { SOURCES = 64, EXTRA = 8, PATH_ROOM = 4096 };

struct build {
    char **word; /* the compiler's command */
    int words;
    const char *source[SOURCES];
    int at[SOURCES]; /* its index in `word` */
    int sources;
    struct flags flags;
    char folder[PATH_ROOM];
    char path[SOURCES][PATH_ROOM];
    const char *out[SOURCES];
};

static bool ends_in(const char *word, const char *with)
{
    size_t n = strlen(word), m = strlen(with);
    return n > m && !strcmp(word + n - m, with);
}

/* Finds the sources, and the options that decide how they are read. */
static int take_words(struct build *b)
{
    int rc = 0;
    for (int i = 1; i < b->words && !rc; i++) {
        const char *w = b->word[i];
        bool apart = !strcmp(w, "-I") || !strcmp(w, "-D") || !strcmp(w, "-U") ||
                     !strcmp(w, "-isystem") || !strcmp(w, "-include");
        if (!strcmp(w, "-o"))
            i++;
        else if (apart && i + 1 < b->words) {
            rc = flags_add(&b->flags, w);
            rc = rc ? rc : flags_add(&b->flags, b->word[++i]);
        } else if (!strncmp(w, "-I", 2) || !strncmp(w, "-D", 2) ||
                   !strncmp(w, "-U", 2) || !strncmp(w, "-std=", 5))
            rc = flags_add(&b->flags, w);
        else if (w[0] != '-' && ends_in(w, ".c")) {
            if (b->sources == SOURCES)
                return err_usage("more than %d sources in one command are too many",
                                 SOURCES);
            b->at[b->sources] = i;
            b->source[b->sources++] = w;
        }
    }
    return rc ? rc : flags_of_mpicc(&b->flags, b->word[0]);
}

/* Names the new sources. Each has a folder of its own, under its old name: the compiler
 * names objects after it. */
static int name_out(struct build *b)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(b->folder, PATH_ROOM, "%.2000s/ldadc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(b->folder))
        return err_set(-errno, b->folder, -1,
                       "a directory for new sources cannot be made: %s",
                       strerror(errno));
    for (int i = 0; i < b->sources; i++) {
        char folder[PATH_ROOM];
        const char *slash = strrchr(b->source[i], '/');
        snprintf(folder, sizeof folder, "%.2100s/%d", b->folder, i);
        snprintf(b->path[i], PATH_ROOM, "%.2200s/%.255s", folder,
                 slash ? slash + 1 : b->source[i]);
        b->out[i] = b->path[i];
        if (scratch_create_folder(folder))
            return err_get()->code;
    }
    return 0;
}

static void remove_out(struct build *b)
{
    for (int i = 0; i < b->sources; i++) {
        unlink(b->path[i]);
        *strrchr(b->path[i], '/') = '\0';
        scratch_forget(b->path[i]);
        rmdir(b->path[i]);
    }
    rmdir(b->folder);
}

/* Runs the command; returns its exit status. */
static int build_run(char **word)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execvp(word[0], word);
        err_tell("ldadc build", NULL, NULL, "%s cannot be run: %s", word[0],
                 strerror(errno));
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return err_set(-errno, NULL, -1, "%s cannot be run: %s", word[0],
                       strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* Runs the command with the new sources, which include files beside the old ones. */
static int run_new(struct build *b)
{
    static char option[SOURCES + EXTRA][PATH_ROOM + 32];
    char **word = mem_new(b->words + SOURCES + EXTRA, sizeof *word, "the command");
    int n = 0, m = 0;
    if (!word)
        return -ENOMEM;
    for (int i = 0; i < b->words; i++)
        word[n++] = b->word[i];
    for (int i = 0; i < b->sources; i++) {
        const char *slash = strrchr(b->source[i], '/');
        word[b->at[i]] = b->path[i];
        snprintf(option[m], sizeof option[m], "-I%.*s",
                 slash ? (int)(slash - b->source[i]) : 1, slash ? b->source[i] : ".");
        word[n++] = option[m++];
    }
    const char *const more[] = {"-I",    set.include,   "-L",
                                set.lib, "-Wl,-rpath,", set.lib};
    for (int i = 0; i < 6; i += 2) {
        snprintf(option[m], sizeof option[m], "%s%s", more[i], more[i + 1]);
        word[n++] = option[m++];
    }
    word[n++] = (char *)"-lldad";
    int rc = build_run(word);
    free(word);
    return rc;
}

static int rewrite_and_run(struct build *b)
{
    struct analyse_request r = {.file = b->source,
                                .files = b->sources,
                                .flag = b->flags.flag,
                                .flags = b->flags.n};
    struct rewrite_request w = {.out = b->out,
                                .lines = true,
                                .all = set.all,
                                .said = set.quiet ? NULL : stderr};
    int rc = name_out(b);
    switch (rc ? REWRITE_NOTHING : rewrite_program(&r, &w)) {
    case REWRITE_GOOD:
        rc = run_new(b);
        break;
    case REWRITE_UNWRITTEN:
        rc = err_get()->code;
        break;
    case REWRITE_BROKEN: /* the compiler explains it in its own words, too */
        rc = err_exit_status(err_get()) == EXIT_USAGE ? err_get()->code
                                                      : build_run(b->word);
        break;
    case REWRITE_NOTHING:
        rc = rc ? rc : build_run(b->word);
    }
    remove_out(b);
    return rc;
}

int command_build(int argc, char **argv)
{
    static struct build b;
    int status, own = 0;
    while (own < argc && strcmp(argv[own], "--"))
        own++;
    if (!command_options(&program, own, argv, &status))
        return status;
    b.word = argv + own + 1;
    b.words = argc - own - 1;
    int rc = b.words > 0 ? take_words(&b)
                         : err_usage("after -- comes the compiler's command, as in "
                                     "ldadc build -- mpicc -O2 -o prog prog.c");
    if (!rc)
        rc = source_assume(&set.assume);
    if (!rc)
        rc = b.sources ? rewrite_and_run(&b) : build_run(b.word);
    if (rc >= 0)
        return rc;
    err_print(stderr, program.name, err_get());
    return (int)err_exit_status(err_get());
}
