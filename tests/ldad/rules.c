/* Rules of MPI-IO that programs rely on, as plain MPI-IO and with the calls renamed to
 * libldad's: they must hold for both.
 *
 *     rules CASE FILE [KEY=VALUE ...]     the keys are those of the MPI_Info
 *
 * Cases: end, free, modes; and, for libldad only, fails, plans, delete. Prints errors,
 * and nothing if all is well. */
#include "hints.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 1000, CHUNK = 100 };

/* Both MPI libraries report full counts of collective reads past the end; Open MPI
 * advances the pointer by the requested size, and it lets read-only files be
 * written. */
#ifdef LDAD_RENAME_H
#define JUDGED true
#else
#define JUDGED false
#endif

static int rank, ranks, wrong;
static bool together; /* the method makes collective transfers only */
static MPI_Info info;

static void expect(int good, const char *what, long found, long right)
{
    if (good)
        return;
    wrong++;
    printf("rank %d: %s: found %ld, expected %ld\n", rank, what, found, right);
}

static void is(const char *what, long found, long right)
{
    expect(found == right, what, found, right);
}

static int class_of(int code)
{
    int class = code;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/* Returns byte `at` of a file; `salt` distinguishes writings. */
static char byte_of(MPI_Offset at, int salt)
{
    return (char)(at * 7 + at / 256 + salt);
}

static int open_file(const char *path, int mode, MPI_File *fh)
{
    return class_of(MPI_File_open(MPI_COMM_WORLD, path, mode, info, fh));
}

/* Writes chunks in turn, EACH bytes of each rank. */
static int write_all(MPI_File fh, int salt)
{
    char buf[CHUNK];
    int failed = 0;
    for (int k = 0; k < EACH / CHUNK; k++) {
        MPI_Offset at = (MPI_Offset)(k * ranks + rank) * CHUNK;
        for (int i = 0; i < CHUNK; i++)
            buf[i] = byte_of(at + i, salt);
        failed |=
            MPI_File_write_at_all(fh, at, buf, CHUNK, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    return failed;
}

static void make(const char *path, int salt)
{
    MPI_File fh;
    is("create", open_file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY, &fh), 0);
    is("write", write_all(fh, salt), 0);
    is("close", MPI_File_close(&fh), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- the end of the file --------------------------------------------------------- */

enum how { AT, AT_ALL, POINTER, POINTER_ALL };

static int read_as(enum how how, MPI_File fh, MPI_Offset at, void *buf, int count,
                   MPI_Datatype type, MPI_Status *s)
{
    if (how == AT)
        return MPI_File_read_at(fh, at, buf, count, type, s);
    if (how == AT_ALL)
        return MPI_File_read_at_all(fh, at, buf, count, type, s);
    MPI_File_seek(fh, at, MPI_SEEK_SET);
    return how == POINTER ? MPI_File_read(fh, buf, count, type, s)
                          : MPI_File_read_all(fh, buf, count, type, s);
}

/* Reads 200 bytes from offset `at` on, of which `there` are in the file. */
static void read_end(enum how how, MPI_File fh, MPI_Offset at, int there, int salt)
{
    char buf[200];
    int count = -1;
    MPI_Status s;
    memset(buf, 99, sizeof buf);
    is("read across the end", class_of(read_as(how, fh, at, buf, 200, MPI_BYTE, &s)),
       0);
    MPI_Get_count(&s, MPI_BYTE, &count);
    is("its count", count, there);
    for (int i = 0; i < there; i++)
        if (buf[i] != byte_of(at + i, salt)) {
            is("a byte of it", i, -1);
            break;
        }
    for (int i = there; i < 200; i++)
        if (buf[i] != 99) {
            is("memory behind it", i, -1);
            break;
        }
    if (JUDGED && (how == POINTER || how == POINTER_ALL)) {
        MPI_Offset now;
        MPI_File_get_position(fh, &now);
        is("the pointer after it", (long)(now - at), there);
    }
}

/* Reads as programs that do not know the length of a file. */
static void read_all_of_it(MPI_File fh, MPI_Offset bytes)
{
    char buf[64];
    int count = 1, rounds = 0;
    MPI_Offset sum = 0;
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    while (count > 0 && rounds++ < 10000) {
        MPI_Status s;
        int code = together ? MPI_File_read_all(fh, buf, 64, MPI_BYTE, &s)
                            : MPI_File_read(fh, buf, 64, MPI_BYTE, &s);
        is("read to the end", class_of(code), 0);
        MPI_Get_count(&s, MPI_BYTE, &count);
        sum += count;
    }
    is("bytes to the end", (long)sum, (long)bytes);
}

/* Reads elements of a type, in units of a view, with the end of the file within one. */
static void read_elements(MPI_File fh, MPI_Offset bytes)
{
    double buf[20];
    int count = -1, elements = -1;
    MPI_Status s;
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_DOUBLE, &two);
    MPI_Type_commit(&two);
    is("view",
       MPI_File_set_view(fh, 4, MPI_DOUBLE, MPI_DOUBLE, (char *)"native",
                         MPI_INFO_NULL),
       0);
    MPI_Offset at = (bytes - 4) / 8 - 3; /* three whole elements, and 4 bytes or 0 */
    int there = (int)(bytes - 4 - at * 8);
    enum how how = together ? AT_ALL : AT;
    is("read of a view", class_of(read_as(how, fh, at, buf, 10, two, &s)), 0);
    MPI_Get_count(&s, MPI_BYTE, &count);
    is("its bytes", count, there);
    MPI_Get_count(&s, two, &count);
    is("its count of two", count, there % 16 ? MPI_UNDEFINED : there / 16);
    is("read of whole ones",
       class_of(read_as(together ? AT_ALL : AT, fh, at - 2, buf, 2, two, &s)), 0);
    MPI_Get_count(&s, two, &count);
    MPI_Get_elements(&s, two, &elements);
    is("count of whole ones", count, 2);
    is("elements of whole ones", elements, 4);
    MPI_Type_free(&two);
}

static void test_end(const char *path)
{
    MPI_File fh;
    const MPI_Offset bytes = (MPI_Offset)ranks * EACH;
    make(path, 1);
    is("open", open_file(path, MPI_MODE_RDONLY, &fh), 0);
    for (enum how how = AT; how <= POINTER_ALL; how++) {
        bool collective = how == AT_ALL || how == POINTER_ALL;
        if (collective ? !JUDGED : together)
            continue;
        read_end(how, fh, bytes - 200, 200, 1);
        read_end(how, fh, bytes - 70 - rank, 70 + rank, 1);
        read_end(how, fh, bytes, 0, 1);
        read_end(how, fh, bytes + 1000 * rank, 0, 1);
        /* Some ranks are beyond it, some are not. */
        read_end(how, fh, rank ? bytes + 5 : 0, rank ? 0 : 200, 1);
    }
    read_all_of_it(fh, bytes);
    read_elements(fh, bytes);
    is("close", MPI_File_close(&fh), 0);
}

/* ---- the communicator ------------------------------------------------------------ */

static void test_free(const char *path)
{
    MPI_Comm comm;
    MPI_File fh;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    is("open",
       class_of(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh)),
       0);
    MPI_Comm_free(&comm);
    is("write", write_all(fh, 2), 0);
    is("sync", MPI_File_sync(fh), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    is("sync", MPI_File_sync(fh), 0);
    read_end(AT_ALL, fh, 0, 200, 2);
    is("close", MPI_File_close(&fh), 0);
}

/* ---- modes ----------------------------------------------------------------------- */

static void test_modes(const char *path)
{
    static const struct {
        int mode, class;
    } table[] = {
        {MPI_MODE_RDWR | MPI_MODE_WRONLY, MPI_ERR_AMODE},
        {MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_ERR_AMODE},
        {MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_ERR_AMODE},
        {MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_ERR_AMODE},
        {MPI_MODE_EXCL | MPI_MODE_RDONLY, MPI_ERR_AMODE},
        {MPI_MODE_CREATE, MPI_ERR_AMODE},
        {MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_ERR_AMODE},
        {MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_ERR_AMODE},
        {MPI_MODE_RDONLY, MPI_SUCCESS},
        {MPI_MODE_RDWR, MPI_SUCCESS},
        {MPI_MODE_WRONLY, MPI_SUCCESS},
        {MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, MPI_SUCCESS},
        {MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_SUCCESS},
        {MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS},
    };
    char buf[8] = "1234567";
    MPI_File fh;
    make(path, 3);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int class = open_file(path, table[i].mode, &fh);
        expect(class == table[i].class, "class of a mode", class, table[i].mode);
        if (class == MPI_SUCCESS)
            is("close", MPI_File_close(&fh), 0);
    }
    if (!JUDGED)
        return;
    is("open to read", open_file(path, MPI_MODE_RDONLY, &fh), 0);
    is("write to what is read",
       class_of(MPI_File_write_at_all(fh, 0, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
       MPI_ERR_READ_ONLY);
    is("close", MPI_File_close(&fh), 0);
    is("open to write", open_file(path, MPI_MODE_WRONLY, &fh), 0);
    is("read of what is written",
       class_of(MPI_File_read_at_all(fh, 0, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
       MPI_ERR_ACCESS);
    is("close", MPI_File_close(&fh), 0);
}

/* ---- features of libldad only ---------------------------------------------------- */

#ifdef LDAD_RENAME_H
/* Opening it to read and to write fails with an I/O error, in a sentence. */
static void test_fails(const char *path)
{
    const int modes[] = {MPI_MODE_RDONLY, MPI_MODE_RDWR};
    MPI_File fh;
    MPI_Info_set(info, "ldad_method", "partitioned");
    for (int i = 0; i < 2; i++) {
        is("open", open_file(path, modes[i], &fh), MPI_ERR_IO);
        expect(*ldad_file_error() != 0, "a sentence", 0, 1);
    }
}

static void set_plan(int chunk, const char *conflict)
{
    char plan[200];
    snprintf(plan, sizeof plan, "ranks=%d step=%d start=0 [span=%d stride=%d size=%d]",
             ranks, chunk, ranks * EACH, ranks * chunk, chunk);
    MPI_Info_set(info, "ldad_method", "partitioned");
    MPI_Info_set(info, "ldad_plan", plan);
    MPI_Info_set(info, "ldad_plan_conflict", conflict);
}

static void test_plans(const char *path)
{
    MPI_File fh;
    set_plan(CHUNK, "refuse");
    make(path, 4);
    set_plan(CHUNK / 2, "refuse");
    for (int i = 0; i < 2; i++) {
        int mode = i ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDWR;
        is("open with another plan", open_file(path, mode, &fh), MPI_ERR_FILE_EXISTS);
        expect(strstr(ldad_file_error(), "another plan") != NULL, "a sentence", 0, 1);
    }
    is("to read", open_file(path, MPI_MODE_RDONLY, &fh), 0);
    read_end(AT_ALL, fh, (MPI_Offset)ranks * EACH - 50, 50, 4);
    MPI_File_close(&fh);
    set_plan(CHUNK, "refuse");
    is("with its own", open_file(path, MPI_MODE_RDWR, &fh), 0);
    MPI_File_close(&fh);
    set_plan(CHUNK / 2, "keep");
    is("told to keep it", open_file(path, MPI_MODE_RDWR, &fh), 0);
    is("write", write_all(fh, 5), 0);
    is("close", MPI_File_close(&fh), 0);
    is("to read again", open_file(path, MPI_MODE_RDONLY, &fh), 0);
    read_end(AT_ALL, fh, (MPI_Offset)ranks * EACH - 50, 50, 5);
    MPI_File_close(&fh);
    set_plan(CHUNK, "perhaps");
    expect(open_file(path, MPI_MODE_RDWR, &fh) != 0, "no such word", 0, 1);
    ldad_file_error();
}

/* A file that is removed and made again is a new one, with another plan. */
static void test_delete(const char *path)
{
    MPI_File fh;
    set_plan(CHUNK, "refuse");
    make(path, 6);
    if (rank == 0)
        is("delete", MPI_File_delete(path, MPI_INFO_NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    is("it is gone", open_file(path, MPI_MODE_RDONLY, &fh), MPI_ERR_NO_SUCH_FILE);
    if (rank == 0)
        is("delete again", class_of(MPI_File_delete(path, MPI_INFO_NULL)),
           MPI_ERR_NO_SUCH_FILE);
    MPI_Barrier(MPI_COMM_WORLD);
    set_plan(CHUNK / 2, "refuse");
    is("create", open_file(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &fh),
       0);
    read_end(AT_ALL, fh, 0, 0, 0);
    is("close", MPI_File_close(&fh), 0);
    ldad_file_error();
}

/* A file without a name is an error, and so is NULL; the prefix of a file system is no
 * part of a name. */
static void test_names(const char *path)
{
    char prefixed[4096];
    MPI_File fh;
    is("NULL", open_file(NULL, MPI_MODE_CREATE | MPI_MODE_WRONLY, &fh),
       MPI_ERR_NO_SUCH_FILE);
    is("an empty name", open_file("", MPI_MODE_CREATE | MPI_MODE_WRONLY, &fh),
       MPI_ERR_NO_SUCH_FILE);
    is("delete NULL", class_of(MPI_File_delete(NULL, MPI_INFO_NULL)),
       MPI_ERR_NO_SUCH_FILE);
    expect(strstr(ldad_file_error(), "no file is named") != NULL, "it is said", 0, 1);
    snprintf(prefixed, sizeof prefixed, "ufs:%s", path);
    make(prefixed, 7);
    is("without the prefix", open_file(path, MPI_MODE_RDONLY, &fh), 0);
    is("close", MPI_File_close(&fh), 0);
    if (rank == 0)
        is("delete", MPI_File_delete(prefixed, MPI_INFO_NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    is("it is gone", open_file(path, MPI_MODE_RDONLY, &fh), MPI_ERR_NO_SUCH_FILE);
    ldad_file_error();
}
#endif

static int run(const char *name, const char *path)
{
    static const struct {
        const char *name;
        void (*test)(const char *path);
    } cases[] = {
        {"end", test_end},     {"free", test_free},   {"modes", test_modes},
#ifdef LDAD_RENAME_H
        {"fails", test_fails}, {"plans", test_plans}, {"delete", test_delete},
        {"names", test_names},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, name)) {
            cases[i].test(path);
            return 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    info = hints_of(argc, argv, 3, &together);
    int failed = argc < 3 || run(argv[1], argv[2]);
    MPI_Info_free(&info);
    MPI_Finalize();
    return failed || wrong;
}
