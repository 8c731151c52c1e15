/* Module 4: chooses, token by token, the most probable label by a maximum entropy
 * model, given the label chosen for the token before. O(tokens x labels). */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/model.h"
#include <math.h>

/* Returns the label with the highest score; of equal ones the lower. */
static int32_t best_of(const double *score, int labels, double *probability)
{
    int32_t best = 0;
    double sum = 0;
    for (int32_t k = 1; k < labels; k++)
        if (score[k] > score[best])
            best = k;
    for (int k = 0; k < labels; k++)
        sum += exp(score[k] - score[best]);
    *probability = 1 / sum;
    return best;
}

static int decode(struct tagging *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        double score[MODEL_LABELS] = {0};
        int32_t feature[FEATURES];
        int n = tagging_features(t, i, feature);
        if (n < 0)
            return n;
        for (int k = 0; k < n; k++)
            text_model_add(t->m, feature[k], score);
        if (i)
            text_model_add(t->m, t->m->before[t->label[i - 1]], score);
        t->label[i] = best_of(score, t->m->labels, &t->probability[i]);
    }
    return 0;
}

int maxent_find(struct text_job *j)
{
    return tagging_all(j, j->tools->maxent, LEX_MAXENT, decode);
}
