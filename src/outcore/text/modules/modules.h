/* The modules. Each takes a job (job.h) whose sections have been found. Local, all of
 * them: 0, or -errno with a sentence, which a failure of j->out may lack. */
#ifndef OUTCORE_TEXT_MODULES_H
#define OUTCORE_TEXT_MODULES_H

#include "outcore/text/modules/job.h"

int keywords_find(struct text_job *j);
int crf_find(struct text_job *j);
int maxent_find(struct text_job *j);
int unify(struct text_job *j);
int proximity(struct text_job *j);
int table_count(struct text_job *j);
int table_decide(struct text_job *j);

#endif
