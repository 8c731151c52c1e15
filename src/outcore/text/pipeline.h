/* Files through the eight modules of the 2007 study's entity extraction, tied by the
 * file system: module 1 reads an input and writes an output, every later one reads the
 * whole output and adds a section to it, in one of several ways. */
#ifndef OUTCORE_TEXT_PIPELINE_H
#define OUTCORE_TEXT_PIPELINE_H

#include "outcore/text/container.h"
#include "outcore/text/deal.h"
#include "outcore/text/grow.h"
#include "outcore/text/work.h"
#include "run/set.h"

enum text_update {
    TEXT_REWRITE, /* the whole output, with the section added, is written anew */
    TEXT_APPEND,  /* the section is written behind what is there */
    TEXT_FUSED    /* all modules one after the other in memory, and one write */
};

struct text_way {
    enum text_update update;
    bool by_document; /* a file through all modules, then the next one */
    bool container;   /* all outputs of a lane in one file */
    int passes;       /* each file that is read is read so many times */
    enum io_replace replace;
    bool skip_bad;
};

struct text_lane {
    struct text_out doc, out, all;
    struct text_room *room; /* of the modules; NULL: they are not asked */
    struct container_writer *to;
    struct container_reader *from;
    int64_t in_container; /* bytes of the one that was written last */
    /* What the phase has to have moved, by the sizes of the files: */
    int64_t reads, writes, opens;
    int64_t skipped; /* of all phases */
    uint64_t crc;    /* of verifying: the sum over its files */
};

struct pipeline {
    struct text_way way;
    struct text_work work;
    struct text_files files;
    const char *in; /* the folder's path */
    struct data_folder out;
    struct text_lane *lane;
    struct text_given given; /* to the modules, but for their files */
    int64_t models; /* bytes that this rank has read of models, in this phase */
    int64_t models_opened;
};

/* Local. Memory of r->lanes lanes; frees it. 0 or -ENOMEM with a sentence. */
int pipeline_open(struct pipeline *p, struct run *r);
void pipeline_close(struct pipeline *p, struct run *r);

/* Local, on the rank's thread, in a phase: all lanes take their files through modules
 * first .. last. A failure is kept. */
void pipeline_run(struct run *r, struct pipeline *p, int first, int last);

/* **Collective**, after run_phase_end: 0, or -EIO with a sentence where the phase has
 * moved other bytes, or opened other numbers of files, than the sizes say. */
int pipeline_judge(struct run *r, struct pipeline *p, const char *phase);

/* A lane at work, in a phase. */
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

/* Local, of a lane. Reads the file as module m finds it, 8: as the last one left it,
 * into l->doc. A failure is kept. */
void text_read(struct going *g, const struct text_file *f, const char *label, int m);

/* Local, on the rank's thread, in a phase: reads inputs and outputs again, has all
 * modules work on the inputs in memory, and compares. A failure is kept. */
void pipeline_verify(struct run *r, struct pipeline *p);

/* Local. What a file's output is called in its first line, and its name: that of the
 * input, with %2F for a slash and the like, so that two of one name in different
 * folders are two. 0, or -ENAMETOOLONG with a sentence. */
enum { TEXT_LABEL = 256 };
int text_label(const char *name, char label[TEXT_LABEL]);
const char *text_output(const char *label, char out[TEXT_LABEL]);

#endif
