#include "pfmload/store/pages.h"
#include "base/buf.h"
#include "base/mem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct page {
    int64_t number; /* number in the file; NONE: empty */
    bool dirty, recent;
    int32_t next; /* next page in its chain of the index */
};

struct pages {
    struct run_file *file;
    int64_t bytes;  /* length of the file, including pages not written yet */
    int64_t stored; /* present length of the file */
    int64_t count;
    struct page *page;
    int32_t *index; /* count chains, by number % count */
    uint8_t *memory;
    int64_t hand; /* hand of the clock algorithm that finds a page to replace */
    int64_t last; /* page used last */
};

int pages_open(struct pages **out, struct run_file *file, int64_t bytes, int64_t memory)
{
    struct pages *p = mem_of(file->path, 1, sizeof *p, "pages of the file");
    void *buf = NULL;
    *out = p;
    if (!p)
        return -ENOMEM;
    p->file = file;
    p->bytes = p->stored = bytes;
    p->count = memory / PAGES_PAGE;
    if (!p->count)
        return 0;
    p->page = mem_of(file->path, p->count, sizeof *p->page, "pages of the file");
    p->index = mem_of(file->path, p->count, sizeof *p->index, "pages of the file");
    int rc = p->page && p->index ? buf_reserve(&buf, p->count * PAGES_PAGE, "pages")
                                 : -ENOMEM;
    p->memory = buf;
    for (int64_t i = 0; i < p->count && !rc; i++) {
        p->page[i] = (struct page){.number = NONE, .next = NONE};
        p->index[i] = NONE;
    }
    if (rc)
        pages_close(out);
    return rc;
}

void pages_close(struct pages **p)
{
    if (*p) {
        free((*p)->page);
        free((*p)->index);
        buf_free((*p)->memory);
    }
    free(*p);
    *p = NULL;
}

static void pages_transfer(struct pages *p, enum io_op op, int64_t offset, int64_t n,
                           void *buf)
{
    struct io_req req = {.op = op, .buf = buf, .offset = offset, .bytes = n};
    run_transfer(p->file, &req, 1);
}

static uint8_t *memory_of(const struct pages *p, int64_t slot)
{
    return p->memory + slot * PAGES_PAGE;
}

static int64_t pages_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- which page is where -------------------------------------------------------- */

static int64_t pages_find(struct pages *p, int64_t number)
{
    if (p->page[p->last].number == number)
        return p->last;
    int64_t slot = p->index[number % p->count];
    while (slot != NONE && p->page[slot].number != number)
        slot = p->page[slot].next;
    return slot;
}

static void unlink_page(struct pages *p, int64_t slot)
{
    int32_t *at = &p->index[p->page[slot].number % p->count];
    while (*at != slot)
        at = &p->page[*at].next;
    *at = p->page[slot].next;
    p->page[slot].number = NONE;
}

static void link_page(struct pages *p, int64_t slot, int64_t number)
{
    int32_t *chain = &p->index[number % p->count];
    p->page[slot] = (struct page){.number = number, .next = *chain};
    *chain = (int32_t)slot;
}

static void write_page(struct pages *p, int64_t slot)
{
    int64_t offset = p->page[slot].number * PAGES_PAGE;
    int64_t n = pages_min(PAGES_PAGE, p->bytes - offset);
    if (p->page[slot].dirty)
        pages_transfer(p, IO_OP_WRITE, offset, n, memory_of(p, slot));
    if (p->page[slot].dirty && offset + n > p->stored)
        p->stored = offset + n;
    p->page[slot].dirty = false;
}

/* Frees a page that was not used since the clock's hand passed. */
static int64_t pages_give_up(struct pages *p)
{
    for (;; p->hand = (p->hand + 1) % p->count) {
        struct page *page = &p->page[p->hand];
        if (page->number != NONE && page->recent) {
            page->recent = false;
            continue;
        }
        if (page->number != NONE) {
            write_page(p, p->hand);
            unlink_page(p, p->hand);
        }
        return p->hand;
    }
}

static int64_t fetch(struct pages *p, int64_t number)
{
    int64_t slot = pages_give_up(p), offset = number * PAGES_PAGE;
    int64_t n = pages_min(PAGES_PAGE, p->stored - offset);
    memset(memory_of(p, slot), 0, PAGES_PAGE);
    if (n > 0)
        pages_transfer(p, IO_OP_READ, offset, n, memory_of(p, slot));
    link_page(p, slot, number);
    return slot;
}

/* ---- pieces --------------------------------------------------------------------- */

static uint8_t *visit(struct pages *p, int64_t number, bool dirty)
{
    int64_t slot = pages_find(p, number);
    if (slot == NONE)
        slot = fetch(p, number);
    p->page[slot].recent = true;
    p->page[slot].dirty |= dirty;
    p->last = slot;
    return memory_of(p, slot);
}

void pages_get(struct pages *p, int64_t offset, int64_t n, void *to)
{
    if (!p->count) {
        memset(to, 0, (size_t)n);
        if (offset < p->bytes)
            pages_transfer(p, IO_OP_READ, offset, pages_min(n, p->bytes - offset), to);
        return;
    }
    for (int64_t done = 0, part; done < n; done += part) {
        int64_t at = (offset + done) % PAGES_PAGE;
        part = pages_min(n - done, PAGES_PAGE - at);
        memcpy((uint8_t *)to + done, visit(p, (offset + done) / PAGES_PAGE, false) + at,
               (size_t)part);
    }
}

void pages_put(struct pages *p, int64_t offset, int64_t n, const void *from)
{
    if (offset + n > p->bytes)
        p->bytes = offset + n;
    if (!p->count) {
        pages_transfer(p, IO_OP_WRITE, offset, n, (void *)(uintptr_t)from);
        return;
    }
    for (int64_t done = 0, part; done < n; done += part) {
        int64_t at = (offset + done) % PAGES_PAGE;
        part = pages_min(n - done, PAGES_PAGE - at);
        memcpy(visit(p, (offset + done) / PAGES_PAGE, true) + at,
               (const uint8_t *)from + done, (size_t)part);
    }
}

void pages_flush(struct pages *p)
{
    for (int64_t i = 0; p && i < p->count; i++)
        if (p->page[i].number != NONE)
            write_page(p, i);
}
