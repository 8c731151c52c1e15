/* Early write-back. The kernel leaves writes in its cache until a program syncs, or
 * for half a minute: the device idles while a program writes, and the program while
 * the device does. So a thread asks the kernel, every few MiB, to begin writing
 * them. It changes neither what is durable nor when a write returns: fsync(2) still
 * reports failures. */
#include "base/thread.h"
#include "io/part/part.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/vfs.h>

#define EVERY (INT64_C(4) << 20)
#define STACK ((size_t)64 << 10)

struct range {
    int64_t from, to; /* empty: from >= to */
};

struct part_back {
    int fd;
    int64_t bytes;      /* written since the last request */
    struct range fresh; /* the range of these bytes */
    pthread_t helper;
    bool started, none; /* the thread runs; it cannot run */
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct range todo; /* protected by the lock, as `closing` */
    bool closing;
};

static void range_add(struct range *to, struct range r)
{
    bool empty = to->from >= to->to;
    to->from = empty || r.from < to->from ? r.from : to->from;
    to->to = empty || r.to > to->to ? r.to : to->to;
}

/* The body of the thread. Holds the lock except while it asks the kernel, or sleeps. */
static void *part_back_help(void *back)
{
    struct part_back *b = back;
    pthread_mutex_lock(&b->lock);
    while (!b->closing) {
        struct range r = b->todo;
        if (r.from >= r.to) {
            pthread_cond_wait(&b->work, &b->lock);
            continue;
        }
        b->todo = (struct range){0, 0};
        pthread_mutex_unlock(&b->lock);
        sync_file_range(b->fd, r.from, r.to - r.from, SYNC_FILE_RANGE_WRITE);
        pthread_mutex_lock(&b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* True if there is no device to write to. */
static bool in_memory(int fd)
{
    struct statfs fs;
    return !fstatfs(fd, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

struct part_back *part_back_make(int fd)
{
    struct part_back *b = fd < 0 || in_memory(fd) ? NULL : calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->fd = fd;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->work, NULL);
    return b;
}

void part_back_free(struct part_back *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->closing = true;
    pthread_cond_signal(&b->work);
    pthread_mutex_unlock(&b->lock);
    if (b->started)
        pthread_join(b->helper, NULL);
    pthread_cond_destroy(&b->work);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

void part_back_wrote(struct part_back *b, int64_t at, int64_t bytes)
{
    if (!b || b->none)
        return;
    range_add(&b->fresh, (struct range){at, at + bytes});
    b->bytes += bytes;
    if (b->bytes < EVERY)
        return;
    if (!b->started) {
        b->none = thread_start(&b->helper, STACK, part_back_help, b) != 0;
        b->started = !b->none;
    }
    pthread_mutex_lock(&b->lock);
    range_add(&b->todo, b->fresh);
    pthread_cond_signal(&b->work);
    pthread_mutex_unlock(&b->lock);
    b->fresh = (struct range){0, 0};
    b->bytes = 0;
}
