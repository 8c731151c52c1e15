/* Module 3: the most probable labels of a sentence by a conditional random field
 * (Viterbi). O(tokens x labels^2). */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/model.h"
#include <math.h>

/* Adds up the weights in the order of the features: another order rounds
 * differently. */
static int score(const struct tagging *t, int64_t i, double *state)
{
    int32_t feature[FEATURES];
    int n = tagging_features(t, i, feature);
    for (int k = 0; k < t->m->labels; k++)
        state[k] = 0;
    for (int k = 0; k < n; k++)
        text_model_add(t->m, feature[k], state);
    return n < 0 ? n : 0;
}

/* One Viterbi step, from the best paths to the token before. Of equal paths the one
 * from the lower label wins. */
static void crf_step(const struct model *m, const double *before, double *now,
                     uint8_t *back)
{
    double best[MODEL_LABELS];
    for (int to = 0; to < m->labels; to++) {
        best[to] = -INFINITY;
        back[to] = 0;
    }
    for (int from = 0; from < m->labels; from++)
        for (int to = 0; to < m->labels; to++) {
            double way = before[from] + m->pair[from * m->labels + to];
            if (way > best[to]) {
                best[to] = way;
                back[to] = (uint8_t)from;
            }
        }
    for (int to = 0; to < m->labels; to++)
        now[to] += best[to];
}

static int decode(struct tagging *t)
{
    int64_t labels = t->m->labels, last = t->n - 1;
    double *way = t->j->room->scores.at;
    uint8_t *back = t->j->room->back.at;
    for (int64_t i = 0; i < t->n; i++) {
        int rc = score(t, i, way + i * labels);
        if (rc)
            return rc;
        if (i)
            crf_step(t->m, way + (i - 1) * labels, way + i * labels, back + i * labels);
        t->probability[i] = 0;
    }
    t->label[last] = 0;
    for (int32_t k = 1; k < labels; k++)
        if (way[last * labels + k] > way[last * labels + t->label[last]])
            t->label[last] = k;
    for (int64_t i = last; i > 0; i--)
        t->label[i - 1] = back[i * labels + t->label[i]];
    return 0;
}

int crf_find(struct text_job *j)
{
    return tagging_all(j, j->tools->crf, LEX_CRF, decode);
}
