/* The list of operations, --ops: its words, what each needs before it, and the bytes
 * that all of them move. */
#include "base/err.h"
#include "metabench/metabench.h"
#include <stdio.h>
#include <string.h>

static const struct meta_op *find_op(const char *name, size_t n)
{
    for (int i = 0; i < META_OPS; i++)
        if (strlen(meta_op[i].name) == n && !strncmp(meta_op[i].name, name, n))
            return &meta_op[i];
    return NULL;
}

static int unknown_op(const char *name, int n)
{
    char all[256] = "";
    for (int i = 0; i < META_OPS; i++) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? "," : "", meta_op[i].name);
    }
    return err_usage("--ops: \"%.*s\" is not one of %s", n, name, all);
}

/* Counts an operation among the steps so far. */
static int seen(const struct meta *m, const struct meta_op *op)
{
    int n = 0;
    for (int i = 0; i < m->steps; i++)
        n += m->step[i].op == op;
    return n;
}

/* The step that has removed what the operation is applied to; NULL: none. */
static const struct meta_op *ended_by(const struct meta *m, const struct meta_op *op)
{
    for (int i = 0; op->item && i < m->steps; i++)
        if (m->step[i].op->ends && m->step[i].op->of == op->of)
            return m->step[i].op;
    return NULL;
}

static bool lists(const struct meta_op *op)
{
    return !op->item && !op->crowds;
}

/* Checks that an operation may come now. On empty files, read and write would measure
 * opening and closing. */
static int check_op(const struct meta *m, const struct meta_op *op)
{
    bool once = op->makes || op->ends || op->adds || op->crowds;
    const struct meta_op *ended = ended_by(m, op);
    if (once && seen(m, op))
        return err_usage("--ops: %s is listed twice, and runs once", op->name);
    if (ended)
        return err_usage("--ops: %s cannot come after %s, which removes what it needs",
                         op->name, ended->name);
    if (op->after && !seen(m, find_op(op->after, strlen(op->after))))
        return err_usage("--ops: %s needs %s before it", op->name, op->after);
    if (lists(op) && !m->steps)
        return err_usage("--ops: %s needs create or mkdir before it", op->name);
    if (!m->set.bytes && op->item && !op->makes && op->reads + op->writes)
        return err_usage("--ops: %s needs --bytes: the files are empty, and open "
                         "measures opening and closing them",
                         op->name);
    return 0;
}

static int add_op(struct meta *m, const struct meta_op *op)
{
    struct meta_step *s = &m->step[m->steps];
    int rc = check_op(m, op), n = seen(m, op) + 1;
    char number[12] = "";
    if (rc)
        return rc;
    if (m->steps == META_STEPS)
        return err_usage("--ops: there are more than %d operations", META_STEPS);
    if (n > 1)
        snprintf(number, sizeof number, "%d", n);
    *s = (struct meta_step){.op = op};
    snprintf(s->name, sizeof s->name, "%s%s", op->name, number);
    if (op->check)
        snprintf(s->checked, sizeof s->checked, "%s%s", op->checked, number);
    m->steps++;
    return 0;
}

/* Leaves out the check of what create has made if a later step looks at each file:
 * the check would fill caches. */
static void spare_checks(struct meta *m)
{
    bool looks = false;
    for (int i = m->steps - 1; i >= 0; i--) {
        const struct meta_op *op = m->step[i].op;
        looks |= op->call == PHASE_OP_STAT && op->of == META_FILES;
        if (looks && op->call == PHASE_OP_CREATE)
            *m->step[i].checked = '\0';
    }
}

int meta_parse(struct meta *m)
{
    m->steps = 0;
    for (const char *at = m->set.ops; *at;) {
        size_t n = strcspn(at, ",");
        const struct meta_op *op = find_op(at, n);
        int rc = op ? add_op(m, op) : unknown_op(at, (int)n);
        if (rc)
            return rc;
        at += n + (at[n] == ',');
    }
    int64_t reads, writes;
    if (meta_parts(m, true, &reads, &writes) > META_PARTS)
        return err_usage("--ops: append is listed more than %d times", META_PARTS - 1);
    spare_checks(m);
    return 0;
}

int meta_parts(const struct meta *m, bool verify, int64_t *reads, int64_t *writes)
{
    int parts = 1;
    *reads = *writes = 0;
    for (int i = 0; i < m->steps; i++) {
        const struct meta_op *op = m->step[i].op;
        parts += !strcmp(op->name, "append");
        *writes += op->writes;
        *reads += op->reads ? parts : 0;
        *reads += verify && op->call == PHASE_OP_RENAME ? parts : 0;
    }
    return parts;
}
