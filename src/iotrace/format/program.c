#include "iotrace/format/program.h"
#include "iotrace/format/kernel.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { HEAD = 4096, SCRIPTS_MAX = 4 };

int64_t sys_got;

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

struct image { /* a file, its begin, and room for another piece of it */
    int fd;
    char *head, *piece;
    long bytes;
};

/* Returns `bytes` of the file, at most HEAD, at any place; NULL: they do not exist. */
static const void *image_at(const struct image *i, uint64_t at, uint64_t bytes)
{
    if (bytes > HEAD)
        return NULL;
    if (at <= (uint64_t)i->bytes && bytes <= (uint64_t)i->bytes - at) {
        memcpy(i->piece, i->head + at, bytes);
        return i->piece;
    }
    return sys_pread(i->fd, i->piece, bytes, at) == (long)bytes ? i->piece : NULL;
}

static bool segment(const struct image *i, const Elf64_Ehdr *e, int n, Elf64_Phdr *p)
{
    const void *at = image_at(i, e->e_phoff + (uint64_t)n * sizeof *p, sizeof *p);
    if (at)
        memcpy(p, at, sizeof *p);
    return at != NULL;
}

/* True if it has a name as a shared library. Programs have none: a file that has one
 * and is started as a command is a loader. */
static bool has_soname(const struct image *i, const Elf64_Phdr *p)
{
    Elf64_Dyn d;
    uint64_t bytes = p->p_filesz < HEAD ? p->p_filesz : HEAD;
    const char *at = image_at(i, p->p_offset, bytes);
    for (; at && bytes >= sizeof d; bytes -= sizeof d, at += sizeof d) {
        memcpy(&d, at, sizeof d);
        if (d.d_tag == DT_NULL || d.d_tag == DT_SONAME)
            return d.d_tag == DT_SONAME;
    }
    return false;
}

/* True if it has the note of Go's linker, with the owner "Go". */
static bool has_go_note(const struct image *i, const Elf64_Phdr *p)
{
    uint64_t bytes = p->p_filesz < HEAD ? p->p_filesz : HEAD;
    const char *note = image_at(i, p->p_offset, bytes);
    while (note && bytes >= sizeof(Elf64_Nhdr) + 4) {
        Elf64_Nhdr n;
        memcpy(&n, note, sizeof n);
        if (n.n_namesz == 4 && !memcmp(note + sizeof n, "Go\0", 4))
            return true;
        uint64_t size = sizeof n + ((uint64_t)n.n_namesz + 3) / 4 * 4 +
                        ((uint64_t)n.n_descsz + 3) / 4 * 4;
        if (size > bytes)
            break;
        note += size;
        bytes -= size;
    }
    return false;
}

/* True if it has Go's section, which also those without the note have. */
static bool has_go_section(const struct image *i, const Elf64_Ehdr *e)
{
    Elf64_Shdr names;
    if (!e->e_shoff || e->e_shentsize != sizeof names)
        return false;
    const void *at =
        image_at(i, e->e_shoff + (uint64_t)e->e_shstrndx * sizeof names, sizeof names);
    if (!at)
        return false;
    memcpy(&names, at, sizeof names);
    uint64_t bytes = names.sh_size < HEAD ? names.sh_size : HEAD;
    at = image_at(i, names.sh_offset, bytes);
    return at && memmem(at, bytes, ".go.buildinfo", sizeof ".go.buildinfo");
}

/* True if it has another C library than glibc, to which the recorder is linked. */
static bool has_other_libc(const struct image *i, const Elf64_Phdr *p)
{
    static const char *const loader[] = {"/ld-musl", "/ld-uClibc", "/bin/linker64"};
    uint64_t bytes = p->p_filesz < HEAD ? p->p_filesz : HEAD;
    const char *name = image_at(i, p->p_offset, bytes);
    for (size_t k = 0; name && k < sizeof loader / sizeof loader[0]; k++)
        if (memmem(name, bytes, loader[k], strlen(loader[k])))
            return true;
    return false;
}

static uint32_t kinds_of_elf(const struct image *i)
{
    Elf64_Ehdr e;
    if (i->bytes < EI_NIDENT + 4 || memcmp(i->head, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(&e, i->head, sizeof e); /* room is larger than a small file */
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != MACHINE)
        return PROGRAM_FOREIGN;
    if (i->bytes < (long)sizeof e || e.e_phentsize != sizeof(Elf64_Phdr))
        return 0;
    bool loaded = false, go = false, other = false;
    for (int n = 0; n < e.e_phnum; n++) {
        Elf64_Phdr p;
        if (!segment(i, &e, n, &p))
            return 0;
        loaded |= p.p_type == PT_INTERP;
        other |= p.p_type == PT_INTERP && has_other_libc(i, &p);
        loaded |= p.p_type == PT_DYNAMIC && has_soname(i, &p);
        go |= p.p_type == PT_NOTE && has_go_note(i, &p);
    }
    return (loaded ? 0 : PROGRAM_STATIC) | (other ? PROGRAM_LIBC : 0) |
           (go || has_go_section(i, &e) ? PROGRAM_GO : 0);
}

/* True if the program gets privileges, by the kernel's rules: root gains nothing by
 * capabilities, and nobody gains anything after no_new_privs. */
static bool has_rights(int dir, const char *path, int fd)
{
    struct stat st;
    char value[64];
    long uid = sys_call(SYS_getuid), gid = sys_call(SYS_getgid);
    int flags = *path ? 0 : AT_EMPTY_PATH;
    if (sys_call(SYS_newfstatat, dir, path, &st, flags))
        return false;
    bool gains =
        ((st.st_mode & S_ISUID) && (long)st.st_uid != uid) ||
        ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && (long)st.st_gid != gid) ||
        (uid != 0 && fd >= 0 &&
         sys_call(SYS_fgetxattr, fd, "security.capability", value, sizeof value) > 0);
    return gains && sys_call(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 0;
}

static int image_open(int dir, const char *path)
{
    char link[32];
    if (*path)
        return (int)sys_call(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    return sys_open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
}

/* Replaces the begin of a script by its interpreter. */
static bool interpreter(struct image *i)
{
    if (i->bytes < 3 || i->head[0] != '#' || i->head[1] != '!')
        return false;
    i->head[i->bytes < HEAD ? i->bytes : HEAD - 1] = 0;
    const char *from = i->head + 2 + strspn(i->head + 2, " \t");
    size_t n = strcspn(from, " \t\n");
    memmove(i->head, from, n);
    i->head[n] = 0;
    return n > 0;
}

uint32_t program_kinds(int dir, const char *path, char *room)
{
    struct image i = {.head = room, .piece = room + HEAD};
    for (int depth = 0; depth <= SCRIPTS_MAX; depth++) {
        uint32_t kinds = 0;
        i.fd = image_open(dir, path);
        bool rights = has_rights(dir, path, i.fd);
        i.bytes = i.fd < 0 ? 0 : sys_pread(i.fd, i.head, HEAD, 0);
        bool script = interpreter(&i);
        if (i.bytes > 0 && !script)
            kinds = kinds_of_elf(&i);
        if (i.fd >= 0)
            sys_close(i.fd);
        if (!script)
            return kinds | (rights ? PROGRAM_PRIVILEGED : 0);
        path = i.head;
        dir = AT_FDCWD;
    }
    return 0;
}

static bool is_program(const char *path)
{
    struct stat st;
    return sys_call(SYS_newfstatat, AT_FDCWD, path, &st, 0) == 0 &&
           S_ISREG(st.st_mode) && sys_call(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

bool program_find(const char *name, const char *list, char *out, unsigned bytes)
{
    if (strchr(name, '/')) {
        snprintf(out, bytes, "%s", name);
        return is_program(out);
    }
    for (const char *s = list ? list : "/bin:/usr/bin"; *name; s++) {
        size_t n = strcspn(s, ":");
        int used = snprintf(out, bytes, "%.*s%s%s", (int)n, s, n ? "/" : "", name);
        if (used < (int)bytes && is_program(out))
            return true;
        s += n;
        if (!*s)
            break;
    }
    return false;
}

/* ---- words ---- */

static const struct {
    uint32_t kind;
    const char *word;
} words_of[] = {{PROGRAM_STATIC, "static"},
                {PROGRAM_PRIVILEGED, "privileged"},
                {PROGRAM_FOREIGN, "foreign"},
                {PROGRAM_LIBC, "libc"},
                {PROGRAM_GO, "go"}};

enum { KINDS = sizeof words_of / sizeof words_of[0] };

void program_words(uint32_t kinds, char words[PROGRAM_WORDS])
{
    int at = 0;
    words[0] = 0;
    for (int k = 0; k < KINDS; k++)
        if (kinds & words_of[k].kind)
            at += snprintf(words + at, (size_t)(PROGRAM_WORDS - at), "%s%s",
                           at ? " " : "", words_of[k].word);
}

uint32_t program_read_words(const char *words)
{
    uint32_t kinds = 0;
    for (const char *s = words; *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");
        for (int k = 0; k < KINDS; k++)
            if (strlen(words_of[k].word) == n && !strncmp(words_of[k].word, s, n))
                kinds |= words_of[k].kind;
        s += n;
    }
    return kinds;
}
