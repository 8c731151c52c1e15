/* Copies from and to mapped files. If the kernel cannot provide a page, because the
 * file was cut, the device failed, or there is no space, it sends SIGBUS: here that is
 * a failed copy. Other SIGBUS go to the previous handler. */
#include "base/err.h"
#include "io/engine.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

/* A copy in progress on this thread, and where to go on if it fails. */
struct guard {
    const char *from, *to; /* mapped memory */
    sigjmp_buf back;
};

/* The members below belong to the process, as a process has one handler of a signal. */
static _Thread_local struct guard *volatile guarded;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int users;
static bool stays;              /* a later handler passes signals on to ours, so it
                                 * stays installed */
static struct sigaction before; /* the previous handler */

/* Takes the default action: at once for a signal that was sent, else when the
 * instruction that raised it is retried. */
static void take_default(int sig, const siginfo_t *info)
{
    signal(sig, SIG_DFL);
    if (info->si_code <= 0)
        raise(sig);
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    bool sent = info->si_code <= 0;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(sig, info, context);
    else if (before.sa_handler == SIG_DFL || (before.sa_handler == SIG_IGN && !sent))
        take_default(sig, info);
    else if (before.sa_handler != SIG_IGN)
        before.sa_handler(sig);
}

/* Ends a failed copy. The jump restores the signal mask that the kernel saved: with
 * sigsetjmp that would be a system call for each copy. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
    struct guard *g = guarded;
    const char *at = info->si_addr;
    int saved = errno;
    if (g && info->si_code > 0 && at >= g->from && at < g->to) {
        pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
        siglongjmp(g->back, 1);
    }
    pass_on(sig, info, context);
    errno = saved;
}

static int install(void)
{
    struct sigaction ours = {.sa_sigaction = on_bus,
                             .sa_flags = SA_SIGINFO | SA_NODEFER},
                     now;
    sigemptyset(&ours.sa_mask);
    if (stays)
        return 0;
    if (sigaction(SIGBUS, NULL, &now))
        return -errno;
    before = now;
    return sigaction(SIGBUS, &ours, NULL) ? -errno : 0;
}

int guard_open(void)
{
    pthread_mutex_lock(&counting);
    int rc = users ? 0 : install();
    users += !rc;
    pthread_mutex_unlock(&counting);
    return rc ? err_set(rc, NULL, -1, "SIGBUS cannot be handled: %s", strerror(-rc))
              : 0;
}

void guard_close(void)
{
    struct sigaction now;
    pthread_mutex_lock(&counting);
    if (--users == 0 && !sigaction(SIGBUS, NULL, &now)) {
        stays = !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_bus;
        if (!stays)
            sigaction(SIGBUS, &before, NULL);
    }
    pthread_mutex_unlock(&counting);
}

bool guard_copy(void *to, const void *from, size_t bytes, const void *mapped)
{
    struct guard g = {.from = mapped, .to = (const char *)mapped + bytes};
    if (sigsetjmp(g.back, 0)) {
        guarded = NULL;
        return false;
    }
    guarded = &g;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(to, from, bytes);
    atomic_signal_fence(memory_order_seq_cst);
    guarded = NULL;
    return true;
}
