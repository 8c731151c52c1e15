/* Internals of outcore text: its options, and the state that its files share. */
#ifndef OUTCORE_TEXT_TEXT_H
#define OUTCORE_TEXT_TEXT_H

#include "base/mem.h"
#include "base/stats.h"
#include "outcore/data/folder.h"
#include "outcore/data/output.h"
#include "outcore/stream/many.h"
#include "outcore/text/modules/job.h"
#include "run/set.h"
#include "run/workload.h"
#include <stdlib.h>

/* ---- the pipeline ---------------------------------------------------------------- */

/* Files through the eight modules of the 2007 study's entity extraction, coupled by the
 * file system: module 1 reads an input and writes an output, every later one reads the
 * whole output and adds a section to it, in one of several ways. */

/* ---- work ------------------------------------------------------------------------ */

/* A module's work on a file in memory: the real one, generated sections of the same
 * length, or work that takes as long as Java took in 2007. No MPI, no files. */

/* ---- arrays that grow ------------------------------------------------------------ */

/* Local. Makes room for `more` bytes behind the present ones. 0, or -ENOMEM with
 * a sentence. */
static inline int grow_room(struct text_out *g, int64_t more)
{
    return text_out_fit(g, more) ? mem_none(NULL, g->bytes + more, "a file") : 0;
}

static inline void grow_free(struct text_out *g)
{
    free(g->at);
    *g = (struct text_out){.at = NULL};
}

/* ---- work ------------------------------------------------------------------------ */

enum { TEXT_STEPS = 8 };

enum text_cost { TEXT_COST_REAL, TEXT_COST_NONE, TEXT_COST_JAVA };

struct text_work {
    enum text_cost cost;
    double java_s; /* processor seconds of all modules together, for 9.84 MB */
    struct text_tools *tools[TEXT_STEPS]; /* of each module; real only */
};

/* Local, any thread, with a room of its own. Runs module m (0 ..) on the file with that
 * label, and replaces the contents of `out` by what the module adds. `in` is the input
 * for module 0, and the output so far for the others; in_bytes is the size of the
 * input. 0, or -errno with a sentence (-EBADMSG: malformed input). */
int text_step(const struct text_work *w, struct text_room *room, int m,
              const char *label, const struct text_out *in, int64_t in_bytes,
              struct text_out *out);

/* Local, any thread. Takes the processor time that module m took for so many bytes. */
void text_linger(const struct text_work *w, int m, int64_t in_bytes);

/* ---- models ---------------------------------------------------------------------- */

/* Files that modules read as a whole when they start, in each rank, as each process of
 * the 2007 study did: the lexicon of module 2, the models of modules 3 and 4. */

enum { MODELS = 3 };

struct model_file {
    const char *path; /* as given; NULL: none */
    int64_t bytes;
};

struct models {
    struct model_file of[MODELS]; /* of modules 1, 2 and 3 (from 0) */
    struct data_folder folder;    /* of the generated ones */
    int64_t made_bytes;           /* size of each of two; 0: none are generated */
    struct text_out memory;
};

/* Local, in `plan`. Finds the sizes of the given files: 0, or -errno with
 * a sentence. */
int models_plan(struct models *m);

/* **Collective**, a phase of its own, which is not part of the work: generates models,
 * if asked. Returns the agreed verdict. */
int models_make(struct run *r, struct models *m);

/* Local, on the rank's thread, in a phase: reads that module's file into m->memory, if
 * it has one. Returns the number of bytes, and adds to *opened. */
int64_t models_read(struct run *r, struct models *m, int module, int64_t *opened);

/* **Collective.** Removes the generated files. Returns the agreed verdict. */
int models_remove(struct run *r, struct models *m);

/* ---- dealing --------------------------------------------------------------------- */

/* Deals the files of a folder to all lanes of all ranks by size, the longest first and
 * back and forth (1 2 3 3 2 1 ...). So the bytes of two lanes differ at most by those
 * of the largest file, and by what one bucket of a histogram does not tell apart.
 *
 * Memory of a rank: of its own files, O(files / ranks), and O(ranks). */

struct text_file {
    int64_t name; /* offset in the text */
    int64_t in_bytes;
    int64_t bytes; /* size of its output so far */
    int64_t place; /* index in the order of all files by size */
    bool skipped;  /* it is malformed, with --bad=skip */
};

struct text_files { /* all zeros: none */
    struct text_file *is;
    int64_t n;
    char *text;
    int64_t *first;               /* index of each lane's first file, and the end of the
                                   * last lane's */
    int64_t in_bytes, most_bytes; /* of all ranks: total, and of the largest file */
    int64_t all;                  /* number of files, on all ranks */
};

/* **Collective**, outside of phases. Sends each of m->names, which many_list has found,
 * to the rank that it is dealt to. Returns the agreed verdict. */
int deal_files(struct run *r, struct many *m, struct text_files *f);

/* Local. Returns which of n workers gets the file at a place. */
int deal_worker(int64_t place, int n);

static inline const char *text_name(const struct text_files *f,
                                    const struct text_file *one)
{
    return f->text + one->name;
}

/* Local. Frees them; all zeros again. */
void deal_free(struct text_files *f);

/* ---- containers ------------------------------------------------------------------ */

/* All outputs of a lane in one file, a container, with an index at its end:
 *
 *   LEXC001\n                             8 bytes
 *   the files, one right after another
 *   OFFSET BYTES LABEL\n                  a line for each of them, in their order
 *   LEXC-END index OFFSET files N\n       64 bytes, numbers of 20 digits
 *
 * So a module reads one file and writes another, in transfers of CONTAINER_SLOT bytes,
 * however many documents there are. A container is written once and never changed.
 *
 * Memory: two slots, and the index, O(files of the lane). */

#define CONTAINER_SLOT (1 << 20)

struct container_writer;
struct container_reader;

/* Local, by a lane, in a phase. Makes the container of this lane and generation m in
 * the folder of the set; text_container_put() adds a file to it. All calls keep
 * failures in the run; after one they do nothing. */
void text_container_make(struct container_writer **w, struct run_set *s, struct run *r,
                         int m);
void text_container_put(struct container_writer *w, const char *label,
                        const struct text_out *file);

/* Local. Writes the index and the end; *bytes is the size of the whole file. Returns
 * how many of these bytes are not of files. *w becomes NULL. */
int64_t text_container_end(struct container_writer **w, int64_t *bytes);

/* Local. Opens the container of generation m, of so many bytes, and reads its index. */
void text_container_open(struct container_reader **c, struct run_set *s, struct run *r,
                         int m, int64_t bytes);

/* Local. Reads the next file, which must have this label and size. */
void text_container_get(struct container_reader *c, const char *label, int64_t bytes,
                        struct text_out *file);

/* Local. Closes the container; removes it, too, with `remove`. Returns how many bytes
 * that are not of files were read. *c becomes NULL. */
int64_t text_container_close(struct container_reader **c, bool remove);

enum text_update {
    TEXT_REWRITE, /* writes the whole output, with the section added, anew */
    TEXT_APPEND,  /* appends the section to the output */
    TEXT_FUSED    /* runs all modules in memory, then writes once */
};

struct text_way {
    enum text_update update;
    bool by_document; /* takes a file through all modules, then the next one */
    bool container;   /* one file holds all outputs of a lane */
    int passes;       /* how often each file is read */
    enum io_replace replace;
    bool skip_bad;
};

struct text_lane {
    struct text_out doc, out, all;
    struct text_room *room; /* of the modules; NULL: no real modules */
    struct container_writer *to;
    struct container_reader *from;
    int64_t in_container; /* size of the container that was written last */
    /* Expected counts of the phase, from the sizes of the files: */
    int64_t reads, writes, opens;
    int64_t skipped; /* in all phases */
    uint64_t crc;    /* when verifying: the sum over its files */
};

struct pipeline {
    struct text_way way;
    struct text_work work;
    struct text_files files;
    const char *in; /* path of the folder */
    struct data_folder out;
    struct text_lane *lane;
    struct text_given given; /* parameters of the modules, but without their files */
    int64_t models;          /* bytes of models that this rank has read in this phase */
    int64_t models_opened;
};

/* Local. Allocates the memory of r->lanes lanes; frees it. 0 or -ENOMEM with
 * a sentence. */
int pipeline_open(struct pipeline *p, struct run *r);
void pipeline_close(struct pipeline *p, struct run *r);

/* Local, on the rank's thread, in a phase: all lanes take their files through modules
 * first .. last. A failure is kept. */
void pipeline_run(struct run *r, struct pipeline *p, int first, int last);

/* **Collective**, after run_phase_end: 0, or -EIO with a sentence if the bytes moved,
 * or the files opened, in the phase are not as many as expected from the sizes. */
int pipeline_judge(struct run *r, struct pipeline *p, const char *phase);

/* State of a lane during a phase. */
struct going {
    struct run *r;
    struct pipeline *p;
    struct text_lane *l;
    struct run_set in, out;
    int first, last; /* modules */
    int passes;
};

/* Local, on the lane's thread: opens and closes the folders. */
void text_begin_lane(struct going *g, struct run *r, const struct going *of);
void text_end_lane(struct going *g, bool written);

/* Local, by a lane. Reads the input of module m (8: the last one's output) into l->doc.
 * A failure is kept. */
void text_read(struct going *g, const struct text_file *f, const char *label, int m);

/* Local, on the rank's thread, in a phase: reads inputs and outputs again, runs all
 * modules on the inputs in memory, and compares. A failure is kept. */
void pipeline_verify(struct run *r, struct pipeline *p);

/* Local. text_label() makes the label of a file's output, which its first line has,
 * from the name of the input, with %2F for a slash and the like: so files of one name
 * in different folders have different labels. text_output() makes the output's file
 * name. 0, or -ENAMETOOLONG with a sentence. */
enum { TEXT_LABEL = 256 };
int text_label(const char *name, char label[TEXT_LABEL]);
const char *text_output(const char *label, char out[TEXT_LABEL]);

/* ---- the program ----------------------------------------------------------------- */

/* Sums over the phases of a repetition, of all ranks. */
struct text_sums {
    double wall_s, io_s;
    double ns[ACT_COUNT];
    int64_t read_bytes, write_bytes, model_bytes;
    int64_t opened, opens[HIST_SIZE];
};

struct text {
    struct {
        struct run_options run;
        const char *input, *update, *order, *replace, *cost, *bad, *format, *weights;
        int64_t files, size, passes, model_bytes;
        double java_s, table_share;
        bool faithful, container, check;
    } set;
    struct many many; /* the input */
    struct output output;
    struct pipeline pipe;
    struct models models;
    struct text_sums sums;
    uint64_t crc; /* sum of the outputs' CRC-32, of all ranks */
    int64_t out_bytes, skipped, done;
    bool known; /* the two above are valid */
};

extern struct text text;

/* Stages and callbacks of the workload (run/workload.h). */
int text_begin(struct run *r, void *unused);
int text_make(struct run *r, void *unused);
int text_run(struct run *r, void *unused);
int text_verify(struct run *r, void *unused);
int text_put_away(struct run *r, int rc);
int text_results(struct run *r, int rc);

/* **Collective.** Phase `check`, for --check. Returns the agreed verdict. */
int text_check_all(struct run *r);

/* **Collective.** text_sum_up(), after each phase of work, adds to the sums;
 * text_figures(), after the last one, reports figures of them. */
void text_sum_up(struct run *r);
void text_figures(struct run *r);

#endif
