/* Module 8: decides from TABLE whether the document is prose or a table. */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/lex.h"

int table_decide(struct text_job *j)
{
    static const char *const names[] = {"bytes", "blank", "digits", "punctuation",
                                        "number_lines"};
    double value[5];
    for (int i = 0; i < 5; i++) {
        int rc = lex_value(j, LEX_TABLE, names[i], &value[i]);
        if (rc)
            return rc;
    }
    double visible = value[0] - value[1], score = 0;
    if (visible > 0)
        score = (value[2] + value[3]) / visible;
    bool table = score > j->tools->table_share || value[4] > 0.5;
    int64_t begun = lex_begin(j);
    text_printf(j->out, "%s %.6f\n", table ? "table" : "prose", score);
    lex_end(j, begun, LEX_DECISION);
    return 0;
}
