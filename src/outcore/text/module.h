/* The eight modules of outcore text, which extract entities from news stories: each
 * adds a section to a document's .lex (modules/lex.h). From memory to memory: no MPI,
 * no files. */
#ifndef OUTCORE_TEXT_MODULE_H
#define OUTCORE_TEXT_MODULE_H

#include "outcore/text/modules/job.h"

/* Parameters of the modules; files are given as their bytes. */
struct text_given {
    struct text_bytes lexicon; /* one phrase per line */
    struct text_bytes crf, maxent;
    enum text_format format;
    double weight[TEXT_VOTES]; /* weights of KEYWORDS, CRF and MAXENT */
    double table_share;        /* a larger share makes a table, 0 .. 1 */
};

/* Local. Makes the read-only data that all lanes share from the given files, which may
 * be freed then. A module without its file (at NULL) finds nothing. 0, or -errno with a
 * sentence that has file and line: -EINVAL (usage), -ENOMEM. */
int text_tools_load(struct text_tools **tools, const struct text_given *given);
void text_tools_free(struct text_tools *tools);

/* Local. Makes a lane's work space, which grows with the largest document. */
int text_room_make(struct text_room **room);
void text_room_free(struct text_room *room);

/* Local, any thread with a room and an `out` of its own. Runs module m on the document
 * of that name, the same for all eight modules. For TEXT_XML `in` is the input, for the
 * others the .lex as the module before m left it; `out` then holds what is to be
 * appended to that .lex (for TEXT_XML with its head) and nothing else. 0, or -errno
 * with a sentence that has file, module and offset: -EBADMSG (malformed input), -EFBIG
 * (more than out->most), -ENOMEM, -ENOTSUP (built without expat). */
int text_module(const struct text_tools *tools, struct text_room *room,
                enum text_module m, const char *name, const char *in, int64_t in_bytes,
                struct text_out *out);

/* Local. Checks that `in` is a .lex that all modules before m have processed;
 * TEXT_MODULES: all eight. 0, or -EBADMSG with a sentence. */
int text_check(enum text_module m, const char *name, const char *in, int64_t in_bytes);

#endif
