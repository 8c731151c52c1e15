/* Reads GSF files with the reference library, for gsf_decode.py, which compiles this
 * and knows where in the library's records the number of beams is:
 *
 *     gsf_reference LIBRARY RECORDS_BYTES BEAMS_AT FILE...
 *
 * Prints the beams and the seconds of processor time. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READONLY = 2, PING = 2 };

/* As the library has it: the type of a record, and its number for direct access. */
struct id {
    int checksum, reserved;
    unsigned type;
    int number;
};

typedef int opener(const char *path, int mode, int *handle);
typedef int reader(int handle, int wanted, struct id *id, void *records,
                   unsigned char *stream, int max);
typedef int closer(int handle);

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "gsf_reference: %s\n", dlerror());
        exit(1);
    }
    return symbol;
}

int main(int argc, char **argv)
{
    void *library = argc > 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "gsf_reference: %s\n", argc > 4 ? dlerror() : "too few words");
        return 1;
    }
    opener *open = (opener *)find(library, "gsfOpen");
    reader *read = (reader *)find(library, "gsfRead");
    closer *close = (closer *)find(library, "gsfClose");
    char *records = calloc(1, strtoul(argv[2], NULL, 10));
    size_t beams_at = strtoul(argv[3], NULL, 10);
    long long beams = 0;
    clock_t before = clock();
    for (int i = 4; i < argc; i++) {
        struct id id = {0};
        short n;
        int handle;
        if (open(argv[i], READONLY, &handle))
            return 1;
        while (read(handle, PING, &id, records, NULL, 0) > 0) {
            memcpy(&n, records + beams_at, sizeof n);
            beams += n;
        }
        close(handle);
    }
    printf("{\"beams\": %lld, \"cpu_s\": %.6f}\n", beams,
           (double)(clock() - before) / CLOCKS_PER_SEC);
    return 0;
}
