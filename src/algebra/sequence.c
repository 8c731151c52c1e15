/* Sequences: an addition folds the end. */
#include "algebra/sequence.h"
#include "base/err.h"
#include "base/mem.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sequence_free(struct sequence *s)
{
    free(s->node);
    free(s->item);
    *s = (struct sequence){.lost = s->lost};
}

void sequence_lose(struct sequence *s)
{
    s->lost = true;
    sequence_free(s);
}

/* ---- growing ---------------------------------------------------------------- */

static int append(struct sequence *s, int64_t what, int64_t times, bool item)
{
    if (s->nodes == s->room) {
        int room = s->room ? 2 * s->room : 4;
        struct sequence_node *node =
            mem_grow(s->node, room, sizeof *node, "the order of calls");
        if (!node)
            return -ENOMEM;
        s->node = node;
        int *items = mem_grow(s->item, room, sizeof *items, "the order of calls");
        if (!items)
            return -ENOMEM;
        s->item = items;
        s->room = room;
    }
    if (item)
        s->item[s->items++] = s->nodes;
    s->node[s->nodes++] = (struct sequence_node){what, times, 0};
    return 0;
}

static bool same_nodes(const struct sequence_node *a, const struct sequence_node *b,
                       int n)
{
    return n == 0 || !memcmp(a, b, (size_t)n * sizeof *a);
}

static int depth_of(const struct sequence_node *n, int64_t nodes)
{
    int deepest = 0;
    for (int64_t i = 0; i < nodes; i += 1 + n[i].length) {
        int depth = n[i].length ? 1 + depth_of(n + i + 1, n[i].length) : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* Counts another pass of a loop, if the last n items repeat its body. */
static bool loop_again(struct sequence *s, int n)
{
    if (s->items <= n)
        return false;
    int begin = s->item[s->items - n], length = s->nodes - begin;
    struct sequence_node *loop = &s->node[s->item[s->items - n - 1]];
    if (loop->what != SEQUENCE_LOOP || loop->length != length ||
        !same_nodes(loop + 1, &s->node[begin], length))
        return false;
    loop->times++;
    s->nodes = begin;
    s->items -= n;
    return true;
}

/* Makes a loop of the last n items and the n before them, if these are equal. */
static bool loop_new(struct sequence *s, int n)
{
    if (s->items < 2 * n)
        return false;
    int first = s->item[s->items - 2 * n], second = s->item[s->items - n];
    int length = s->nodes - second;
    if (second - first != length ||
        !same_nodes(&s->node[first], &s->node[second], length) ||
        depth_of(&s->node[first], length) >= SEQUENCE_DEPTH)
        return false;
    memmove(&s->node[first + 1], &s->node[first], (size_t)length * sizeof *s->node);
    s->node[first] = (struct sequence_node){SEQUENCE_LOOP, 2, length};
    s->nodes = first + 1 + length;
    s->items -= 2 * n - 1;
    return true;
}

static bool fold_loop(struct sequence *s)
{
    for (int n = 1; n <= SEQUENCE_LONGEST && n <= s->items; n++)
        if (loop_again(s, n) || loop_new(s, n))
            return true;
    return false;
}

int sequence_add(struct sequence *s, int64_t what, int64_t times)
{
    struct sequence_node *last = s->items ? &s->node[s->item[s->items - 1]] : NULL;
    if (s->lost)
        return 0;
    if (last && last->what == what && last->times <= INT64_MAX - times)
        last->times += times;
    else if (append(s, what, times, true))
        return -ENOMEM;
    while (fold_loop(s))
        continue;
    if (s->nodes > SEQUENCE_NODES)
        sequence_lose(s);
    return 0;
}

bool sequence_same(const struct sequence *a, const struct sequence *b)
{
    return a->lost == b->lost && a->nodes == b->nodes &&
           same_nodes(a->node, b->node, a->nodes);
}

/* ---- as text ---------------------------------------------------------------- */

struct printing {
    char *out;
    int at;
};

static void print_items(struct printing *p, const struct sequence_node *n,
                        int64_t nodes)
{
    for (int64_t i = 0; i < nodes; i += 1 + n[i].length) {
        size_t room = SEQUENCE_TEXT - (size_t)p->at;
        const char *blank = i ? " " : "";
        if (n[i].what == SEQUENCE_LOOP) {
            p->at += snprintf(p->out + p->at, room, "%s(", blank);
            print_items(p, n + i + 1, n[i].length);
            p->at += snprintf(p->out + p->at, 2, ")");
        } else {
            p->at +=
                snprintf(p->out + p->at, room, "%s%lld", blank, (long long)n[i].what);
        }
        if (n[i].times > 1)
            p->at += snprintf(p->out + p->at, SEQUENCE_TEXT - (size_t)p->at, "x%lld",
                              (long long)n[i].times);
    }
}

/* Prints the text. A node takes 44 characters at most, so there is room for all. */
void sequence_print(char out[SEQUENCE_TEXT], const struct sequence *s)
{
    struct printing p = {out, 0};
    out[0] = 0;
    print_items(&p, s->node, s->nodes);
}

/* Reads digits only; strtoll would accept more. */
static bool parse_number(const char **text, int64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool parse_times(const char **text, int64_t *times)
{
    *times = 1;
    if (**text != 'x')
        return true;
    ++*text;
    return parse_number(text, times) && *times > 0;
}

struct parsing {
    struct sequence *s;
    const char *at;
    int64_t limit;
    int open[SEQUENCE_DEPTH], depth; /* loops that are still open */
};

static int parse_open(struct parsing *p)
{
    if (p->depth == SEQUENCE_DEPTH)
        return -EINVAL;
    p->at++;
    p->open[p->depth++] = p->s->nodes;
    return append(p->s, SEQUENCE_LOOP, 1, p->depth == 1);
}

static int parse_close(struct parsing *p)
{
    int64_t times;
    p->at++;
    if (!p->depth || p->open[p->depth - 1] + 1 == p->s->nodes ||
        !parse_times(&p->at, &times))
        return -EINVAL;
    struct sequence_node *loop = &p->s->node[p->open[--p->depth]];
    loop->times = times;
    loop->length = p->s->nodes - p->open[p->depth] - 1;
    return *p->at && !strchr(" )", *p->at) ? -EINVAL : 0;
}

static int parse_run(struct parsing *p)
{
    int64_t what, times;
    if (!parse_number(&p->at, &what) || what >= p->limit ||
        !parse_times(&p->at, &times) || (*p->at && !strchr(" )", *p->at)))
        return -EINVAL;
    return append(p->s, what, times, p->depth == 0);
}

int sequence_parse(struct sequence *s, const char *text, int64_t limit)
{
    struct parsing p = {.s = s, .at = text, .limit = limit};
    int rc = 0;
    *s = (struct sequence){.lost = false};
    for (p.at += strspn(p.at, " "); *p.at && !rc; p.at += strspn(p.at, " "))
        rc = s->nodes == SEQUENCE_NODES ? -EINVAL
             : *p.at == '('             ? parse_open(&p)
             : *p.at == ')'             ? parse_close(&p)
                                        : parse_run(&p);
    if (!rc && p.depth)
        rc = -EINVAL;
    if (rc != -EINVAL)
        return rc;
    return err_set(rc, NULL, -1, "\"%.40s\" is no sequence of numbers and loops", text);
}

/* ---- walking ---------------------------------------------------------------- */

/* At the end of a body, begins its loop anew or leaves it. */
static void walk_on(struct sequence_walk *w)
{
    while (w->depth && w->at == w->loop[w->depth - 1].end) {
        if (--w->loop[w->depth - 1].left > 0) {
            w->at = w->loop[w->depth - 1].begin;
            return;
        }
        w->depth--;
    }
}

bool sequence_next(struct sequence_walk *w, int64_t *what)
{
    const struct sequence *s = w->of;
    while (w->at < s->nodes && s->node[w->at].what == SEQUENCE_LOOP) {
        const struct sequence_node *n = &s->node[w->at++];
        w->loop[w->depth].begin = w->at;
        w->loop[w->depth].end = w->at + (int)n->length;
        w->loop[w->depth++].left = n->times;
    }
    if (w->at == s->nodes)
        return false;
    *what = s->node[w->at].what;
    if (!w->left)
        w->left = s->node[w->at].times;
    if (--w->left == 0) {
        w->at++;
        walk_on(w);
    }
    return true;
}

static void count_items(const struct sequence_node *n, int64_t nodes, int64_t times,
                        int64_t *count, int64_t most)
{
    for (int64_t i = 0; i < nodes; i += 1 + n[i].length) {
        int64_t all;
        if (__builtin_mul_overflow(times, n[i].times, &all))
            all = INT64_MAX;
        if (n[i].what == SEQUENCE_LOOP)
            count_items(n + i + 1, n[i].length, all, count, most);
        else if (n[i].what < most &&
                 __builtin_add_overflow(count[n[i].what], all, &count[n[i].what]))
            count[n[i].what] = INT64_MAX;
    }
}

void sequence_count(const struct sequence *s, int64_t *count, int64_t n)
{
    count_items(s->node, s->nodes, 1, count, n);
}
