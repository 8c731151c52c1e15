/* Streams whose bytes partly move by macros, which no library sees. Prints what a log
 * must contain, a line for each event: file, call, offset, bytes.
 *
 * Compiled with optimization and builtins, so that the macros are macros. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

static char data[1 << 16];
static const char *now;

static void expect(const char *call, long offset, long bytes)
{
    printf("%s %s %ld %ld\n", now, call, offset, bytes);
}

static FILE *open_as(const char *name, const char *mode)
{
    FILE *f = fopen(now = name, mode);
    if (!f) {
        perror(name);
        exit(1);
    }
    return f;
}

static void put_unseen(FILE *f, int n)
{
    while (n-- > 0)
        putc_unlocked('x', f);
}

static void get_unseen(FILE *f, int n)
{
    while (n-- > 0)
        getc_unlocked(f);
}

static void write_in_turn(void)
{
    FILE *f = open_as("turns", "w");
    fwrite(data, 1, 16, f);
    expect("fwrite", 0, 16);
    put_unseen(f, 10000);
    fprintf(f, "%010d", 7); /* finds the ones before it */
    expect("unseen_write", 16, 10000);
    expect("fprintf", 10016, 10);
    put_unseen(f, 3);
    fflush(f);
    expect("unseen_write", 10026, 3);
    fprintf(f, "%d", 12345);
    expect("fprintf", 10029, 5);
    fseek(f, 100, SEEK_SET);
    fwrite(data, 1, 50000, f);
    expect("fwrite", 100, 50000);
    fseek(f, -20, SEEK_END);
    fputc('x', f);
    expect("fputc", 50080, 1);
    put_unseen(f, 4096);
    fclose(f);
    expect("unseen_write", 50081, 4096);
}

static void read_in_turn(void)
{
    char line[64];
    FILE *f = open_as("turns", "r");
    fread(data, 8, 2, f);
    expect("fread", 0, 16);
    get_unseen(f, 16391);
    ungetc('x', f);
    expect("unseen_read", 16, 16391);
    fread(data, 1, 10, f);
    expect("fread", 16 + 16391 - 1, 10);
    rewind(f);
    fread(data, 1, 100, f);
    expect("fread", 0, 100);
    get_unseen(f, 5);
    if (ftell(f) != 105)
        exit(2);
    expect("unseen_read", 100, 5);
    fgets(line, 20, f);
    expect("fgets", 105, 19);
    get_unseen(f, 1 << 20); /* to the end */
    fclose(f);
    expect("unseen_read", 124, 54177 - 124);
}

static void at_exit_only(FILE **f)
{
    *f = open_as("left", "w");
    put_unseen(*f, 70000);
}

/* Streams at unknown positions: they move with another descriptor, or begin
 * anywhere. */
static void not_known(void)
{
    FILE *f = open_as("log", "a");
    fprintf(f, "%9d\n", 7);
    expect("fprintf", -1, 10);
    put_unseen(f, 10);
    fclose(f);
    expect("unseen_write", -1, 10);
    f = open_as("shared", "w");
    fprintf(f, "%9d\n", 7);
    expect("fprintf", 0, 10);
    fflush(f);
    write(fileno(f), "x", 1);
    expect("write", -1, 1);
    fprintf(f, "%9d\n", 7);
    expect("fprintf", -1, 10);
    fclose(f);
}

static void of_a_descriptor(void)
{
    int fd = open(now = "given", O_CREAT | O_WRONLY, 0644);
    write(fd, data, 100);
    expect("write", 0, 100);
    FILE *f = fdopen(fd, "w");
    if (!f)
        exit(1);
    fprintf(f, "%9d\n", 7);
    expect("fprintf", 100, 10);
    put_unseen(f, 5);
    fclose(f);
    expect("unseen_write", 110, 5);
}

/* A letter has the bytes of the stream's encoding. */
static void wide(void)
{
    const char euro[] = "\xe2\x82\xac";
    FILE *f = open_as("wide", "w,ccs=UTF-8");
    fputwc(L'a', f);
    expect("fputwc", 0, 1);
    fputws(L"\u20acb\n", f);
    expect("fputws", 1, sizeof euro - 1 + 2);
    fwprintf(f, L"%d", 12345);
    expect("fwprintf", 6, 5);
    fclose(f);
    f = open_as("wide", "a+,ccs=UTF-8");
    fgetwc(f);
    expect("fgetwc", -1, 1);
    fputwc(L'\u20ac', f); /* at the end, not where it reads */
    expect("fputwc", -1, 3);
    fclose(f);
    f = open_as("wide", "r,ccs=UTF-8");
    fgetwc(f);
    expect("fgetwc", 0, 1);
    fgetwc(f);
    expect("fgetwc", 1, 3);
    ungetwc(L'\u20ac', f);
    fgetwc(f);
    expect("fgetwc", 1, 3);
    /* not in the file: the position of reads in this buffer is unknown */
    ungetwc(L'x', f);
    for (int i = 0; i < 9; i++) {
        fgetwc(f);
        expect("fgetwc", -1, 0);
    }
    if (fgetwc(f) != WEOF)
        exit(3);
    expect("fgetwc", 4, 0);
    fclose(f);
    expect("unseen_read", 4, 10);
}

static int scan(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vscanf(format, list);
    va_end(list);
    return n;
}

static void numbers(void)
{
    int number[2];
    FILE *f = open_as("numbers", "w");
    fwrite("12 3456\n", 1, 8, f);
    expect("fwrite", 0, 8);
    fclose(f);
    if (!freopen("numbers", "r", stdin) || scanf("%d", &number[0]) != 1 ||
        scan("%d", &number[1]) != 1 || number[0] != 12 || number[1] != 3456)
        exit(6);
    expect("scanf", 0, 2);
    expect("vscanf", 2, 5);
}

/* This comes last: a reader of stdout must know before. */
static void wide_standard(void)
{
    int number;
    FILE *f = open_as("wide.in", "w");
    fwrite("a 12345\n", 1, 8, f);
    expect("fwrite", 0, 8);
    fclose(f);
    expect("getwchar", 0, 1);
    expect("wscanf", 1, 6);
    now = "wide.out";
    expect("wprintf", 0, 4);
    expect("putwchar", 4, 1);
    now = "left";
    expect("unseen_write", 0, 70000); /* at the end */
    fflush(stdout);
    if (!freopen("wide.out", "w", stdout) || !freopen("wide.in", "r", stdin))
        exit(4);
    if (getwchar() != L'a' || wscanf(L"%d", &number) != 1 || number != 12345)
        exit(5);
    wprintf(L"%d\n", 123);
    putwchar(L'x');
}

int main(void)
{
    FILE *left;
    write_in_turn();
    read_in_turn();
    not_known();
    of_a_descriptor();
    wide();
    at_exit_only(&left);
    numbers();
    wide_standard();
    return 0;
}
