/* Preloaded by tests/run where there are more ranks than cores: MPICH polls its
 * network layer (UCX) without ever giving up the processor, so that each rank
 * burns its whole time slice waiting for one that cannot run. Gives way when a
 * poll brought nothing. Not for measurements. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    unsigned progress;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    progress = real(worker);
    if (progress == 0)
        sched_yield();
    return progress;
}
