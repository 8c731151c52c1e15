/* A program with few resources: it opens as many files as it may, works on the smallest
 * stacks, handles a signal on one, and writes into a file until it may not. Its output
 * is the same traced and untraced. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes system calls only, but these are traced. */
static int touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    int good = fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0;
    return good && access(path, F_OK) == 0;
}

static int many(void)
{
    int n = 0, last = -1, fd;
    struct rlimit l;
    getrlimit(RLIMIT_NOFILE, &l);
    if (l.rlim_cur > 256)
        return -1;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
        last = fd;
        n++;
    }
    printf("opened %d, the last is %d: %s\n", n, last, strerror(errno));
    for (fd = 3; fd <= last; fd++)
        close(fd);
    return n;
}

static void *in_thread(void *arg)
{
    char *block = malloc(1 << 16);
    int *good = arg;
    pid_t pid = fork();
    if (!pid)
        _exit(touch("child of thread") ? 0 : 1);
    int status = 1;
    waitpid(pid, &status, 0);
    *good = block && touch("thread") && status == 0;
    free(block);
    return NULL;
}

static void small_thread(void)
{
    pthread_attr_t a;
    pthread_t t;
    int good = 0;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 16384);
    int rc = pthread_create(&t, &a, in_thread, &good);
    if (!rc)
        pthread_join(t, NULL);
    printf("thread: %s, %d\n", rc ? strerror(rc) : "made", good);
}

static int handled;

static void handler(int signal)
{
    (void)signal;
    handled = touch("handler");
}

static void small_handler(void)
{
    stack_t s = {.ss_sp = malloc(8192), .ss_size = 8192};
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&s, NULL);
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    printf("handler: %d\n", handled);
}

static void children(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        int status = 0;
        if (!pid)
            _exit(touch("child") ? i : 99);
        if (pid > 0)
            waitpid(pid, &status, 0);
        printf("child: %s, %d\n", pid > 0 ? "made" : "not", WEXITSTATUS(status));
    }
}

static void blocks(void)
{
    size_t sum = 0;
    for (int i = 1; i < 200; i++) {
        char *b = malloc((size_t)i * 1000);
        if (b)
            sum += (size_t)i;
        free(b);
    }
    printf("blocks: %zu\n", sum);
}

static void grow(void)
{
    static char block[10000];
    FILE *f = fopen("grown", "w");
    size_t n = 0;
    signal(SIGXFSZ, SIG_IGN);
    while (f && n < 300 && fwrite(block, 1, sizeof block, f) == sizeof block &&
           !fflush(f))
        n++;
    printf("blocks written: %zu\n", n);
    if (f)
        fclose(f);
    signal(SIGXFSZ, SIG_DFL);
}

int main(int argc, char **argv)
{
    int events = argc > 1 ? atoi(argv[1]) : 0;
    int fd = open("/dev/null", O_WRONLY);
    for (int i = 0; i < events; i++)
        if (write(fd, "0123456789", 10) != 10)
            return 1;
    close(fd);
    many();
    blocks();
    small_thread();
    small_handler();
    children();
    grow();
    return 7;
}
