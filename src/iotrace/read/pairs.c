/* Submissions in flight, in one list for each hash of the values that a completion
 * repeats. The earliest comes first, so that the first match is the right one. */
#include "base/mem.h"
#include "iotrace/read/log.h"
#include <stdlib.h>

#define LISTS 4096

struct node {
    int64_t start_ns, offset, request;
    uint32_t name;
    int next; /* next in its list or in the free list; -1: it is the last */
    uint16_t op;
    uint8_t class;
};

struct pairs {
    int first[LISTS], last[LISTS];
    struct node *node;
    int room, used, free;
    uint64_t open;
    bool requests; /* requests are compared */
};

struct pairs *pairs_make(void)
{
    struct pairs *p = mem_new(1, sizeof *p, "a log");
    if (!p)
        return NULL;
    for (int i = 0; i < LISTS; i++)
        p->first[i] = p->last[i] = -1;
    p->free = -1;
    p->requests = true;
    return p;
}

void pairs_free(struct pairs *p)
{
    if (p)
        free(p->node);
    free(p);
}

void pairs_without_requests(struct pairs *p)
{
    p->requests = false;
}

static int64_t pairs_request_of(const struct pairs *p, const struct event *e)
{
    return p->requests ? e->request : 0;
}

static unsigned list_of(const struct pairs *p, const struct event *e)
{
    uint64_t h = (uint64_t)e->offset * 31 + (uint64_t)pairs_request_of(p, e);
    h = h * 31 + e->name;
    h = (h * 4 + e->class) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(h >> 52) % LISTS;
}

/* Returns a free place; -1: there is none. */
static int take_node(struct pairs *p)
{
    int i = p->free;
    if (i >= 0) {
        p->free = p->node[i].next;
        return i;
    }
    if (p->used == p->room) {
        int room = p->room ? 2 * p->room : 256;
        struct node *more =
            room > PAIRS_MOST ? NULL : realloc(p->node, (size_t)room * sizeof *more);
        if (!more)
            return -1;
        p->node = more;
        p->room = room;
    }
    return p->used++;
}

void pairs_begin(struct pairs *p, const struct event *e)
{
    unsigned list = list_of(p, e);
    int i = take_node(p);
    if (i < 0)
        return;
    p->node[i] = (struct node){.start_ns = e->start_ns,
                               .offset = e->offset,
                               .request = pairs_request_of(p, e),
                               .name = e->name,
                               .next = -1,
                               .op = e->op,
                               .class = e->class};
    if (p->last[list] >= 0)
        p->node[p->last[list]].next = i;
    else
        p->first[list] = i;
    p->last[list] = i;
    p->open++;
}

static bool is_it(const struct pairs *p, const struct node *n, const struct event *e)
{
    return n->offset == e->offset && n->request == pairs_request_of(p, e) &&
           n->name == e->name && n->class == e->class && n->start_ns <= e->start_ns;
}

void pairs_end(struct pairs *p, struct event *e)
{
    unsigned list = list_of(p, e);
    int before = -1, i = p->first[list];
    while (i >= 0 && !is_it(p, &p->node[i], e)) {
        before = i;
        i = p->node[i].next;
    }
    if (i < 0)
        return;
    struct node *n = &p->node[i];
    e->row = n->op;
    e->begun_ns = n->start_ns;
    if (before >= 0)
        p->node[before].next = n->next;
    else
        p->first[list] = n->next;
    if (p->last[list] == i)
        p->last[list] = before;
    n->next = p->free;
    p->free = i;
    p->open--;
}

uint64_t pairs_open(const struct pairs *p)
{
    return p->open;
}
