/* The modules. Each takes a job (job.h) whose sections have been found. Local, all of
 * them: 0, or -errno with a sentence, which a failure of j->out may lack. */
#ifndef OUTCORE_TEXT_MODULES_MODULES_H
#define OUTCORE_TEXT_MODULES_MODULES_H

#include "outcore/text/modules/job.h"

int keywords_find(struct text_job *j);
int crf_find(struct text_job *j);
int maxent_find(struct text_job *j);
int unify(struct text_job *j);
int proximity(struct text_job *j);
int table_count(struct text_job *j);
int table_decide(struct text_job *j);

/* ---- XML ------------------------------------------------------------------------- */

struct xml_reader;

/* Local. Reads j->in, a story of Reuters-21578 or RCV1 in XML, in the encoding that it
 * declares, and writes the sections TITLE .. BODY. Makes the reader if there is none.
 * 0, or -errno with a sentence that has line and column: -EBADMSG (not well-formed; no
 * story, or two; too deep; entities that name others), -ENOMEM, -ENOTSUP (no expat). */
int xml_sections(struct text_job *j, struct xml_reader **reader);

void xml_free(struct xml_reader *x);

#endif
