/* The program's own marks, from include/iotrace.h; also without a recorder. */
#include <errno.h>
#include <iotrace.h>
#include <string.h>

int main(int argc, char **argv)
{
    char changing[] = "first";
    errno = 77;
    iotrace_begin("outer");
    for (int i = 0; i < 3; i++)
        iotrace_mark(argc > 1 ? argv[1] : "mark");
    iotrace_mark(changing);
    memcpy(changing, "other", sizeof changing); /* the text counts, not the place */
    iotrace_mark(changing);
    iotrace_end("outer");
    return errno != 77;
}
