/* Module 1: parses a document (xml.c; xml_absent.c without expat). */
#ifndef OUTCORE_TEXT_XML_H
#define OUTCORE_TEXT_XML_H

#include "outcore/text/modules/job.h"

struct xml_reader;

/* Local. Reads j->in, a story of Reuters-21578 or RCV1 in XML, in the encoding that it
 * declares, and writes the sections TITLE .. BODY. Makes the reader if there is none.
 * 0, or -errno with a sentence that has line and column: -EBADMSG (not well-formed; no
 * story, or two; too deep; entities that name others), -ENOMEM, -ENOTSUP (no expat). */
int xml_sections(struct text_job *j, struct xml_reader **reader);

void xml_free(struct xml_reader *x);

#endif
