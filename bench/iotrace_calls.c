/* Many small calls, for bench/iotrace-overhead: iotrace_calls CALL N [THREADS] */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 64 };

static const char *call;
static long n;

static int is(const char *name)
{
    return !strcmp(call, name);
}

static long loop(int fd, FILE *f)
{
    char buf[BYTES] = "x";
    long moved = 0;
    if (is("pread"))
        for (long i = 0; i < n; i++)
            moved += pread(fd, buf, BYTES, 0);
    else if (is("pwrite"))
        for (long i = 0; i < n; i++)
            moved += pwrite(fd, buf, BYTES, 0);
    else if (is("read"))
        for (long i = 0; i < n; i++)
            moved += read(fd, buf, BYTES);
    else if (is("fwrite"))
        for (long i = 0; i < n; i++)
            moved += (long)fwrite(buf, 1, BYTES, f);
    else if (is("fread"))
        for (long i = 0; i < n; i++)
            moved += (long)fread(buf, 1, BYTES, f);
    return moved;
}

static void *work(void *nothing)
{
    char buf[BYTES] = "x";
    int fd = open("bytes", O_RDWR | O_CREAT, 0600);
    FILE *f = fopen(is("fread") ? "/dev/zero" : "/dev/null", is("fread") ? "r" : "w");
    if (fd < 0 || !f || pwrite(fd, buf, BYTES, 0) != BYTES)
        exit(1);
    if (!is("read") && loop(fd, f) != n * BYTES)
        exit(1);
    if (is("read"))
        loop(fd, f); /* at the end of the file after the first */
    fclose(f);
    close(fd);
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t t[64];
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    call = argc > 2 ? argv[1] : "";
    n = argc > 2 ? atol(argv[2]) : 0;
    for (int i = 1; i < threads && i < 64; i++)
        pthread_create(&t[i], NULL, work, NULL);
    work(NULL);
    for (int i = 1; i < threads && i < 64; i++)
        pthread_join(t[i], NULL);
    return 0;
}
