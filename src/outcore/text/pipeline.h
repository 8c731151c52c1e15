/* Files through the eight modules of the 2007 study's entity extraction, coupled by the
 * file system: module 1 reads an input and writes an output, every later one reads the
 * whole output and adds a section to it, in one of several ways. */
#ifndef OUTCORE_TEXT_PIPELINE_H
#define OUTCORE_TEXT_PIPELINE_H

#include "outcore/text/container.h"
#include "outcore/text/deal.h"
#include "outcore/text/work.h"
#include "run/set.h"

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

#endif
