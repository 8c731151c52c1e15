/* The eight modules of outcore text, which take entities out of news stories: each adds
 * a section to a document's .lex (modules/lex.h). From memory to memory: no MPI, no
 * files. */
#ifndef OUTCORE_TEXT_MODULE_H
#define OUTCORE_TEXT_MODULE_H

#include "outcore/text/modules/job.h"

/* What is given to the modules, each as the bytes of a file. */
struct text_given {
    struct text_bytes lexicon; /* a phrase a line */
    struct text_bytes crf, maxent;
    enum text_format format;
    double weight[TEXT_VOTES]; /* of KEYWORDS, CRF and MAXENT */
    double table_share;        /* more than that makes a table, 0 .. 1 */
};

/* Local. What lanes share, and only read, made of what is given, which may be freed
 * then. A module whose file is none (at NULL) finds nothing. 0, or -errno with a
 * sentence that has file and line: -EINVAL (usage), -ENOMEM. */
int text_tools_load(struct text_tools **tools, const struct text_given *given);
void text_tools_free(struct text_tools *tools);

/* Local. What a lane needs while it works, which grows with the largest document. */
int text_room_make(struct text_room **room);
void text_room_free(struct text_room *room);

/* Local, any thread with a room and an `out` of its own. Module m of the document of
 * that name, the same for all eight of them. `in` is what was read as its input for
 * TEXT_XML, else its .lex as the module before m left it; `out` then holds what is to
 * be appended to that .lex (of TEXT_XML: its head, too) and nothing else. 0, or -errno
 * with a sentence that has file, module and offset: -EBADMSG (the input is not what it
 * should be), -EFBIG (more than out->most), -ENOMEM, -ENOTSUP (built without expat). */
int text_module(const struct text_tools *tools, struct text_room *room,
                enum text_module m, const char *name, const char *in, int64_t in_bytes,
                struct text_out *out);

/* Local. Whether `in` is a .lex that all modules before m have gone through; m
 * TEXT_MODULES: all eight. 0, or -EBADMSG with a sentence. */
int text_check(enum text_module m, const char *name, const char *in, int64_t in_bytes);

#endif
