#include "iotrace/read/op.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SLOTS (2 * OP_TABLE_MAX)

static const char *const class_name[CLASSES] = {"none",  "read", "write", "open",
                                                "close", "seek", "sync",  "meta",
                                                "map",   "copy", "mark",  "process"};

static struct op table[OP_TABLE_MAX];
static int count;
static uint16_t slot[SLOTS]; /* number + 1, by the name's hash */

static enum trace_class known_class(const char *name)
{
#define X(e, text, class)                                                              \
    if (!strcmp(name, text))                                                           \
        return CLASS_##class;
    TRACE_OPS(X)
#undef X
    /* of a later version: what moves bytes says so in its name */
    return strstr(name, "write")  ? CLASS_WRITE
           : strstr(name, "read") ? CLASS_READ
                                  : CLASS_NONE;
}

/* A name is printed as it is, so it must not hold what has a meaning in tables. */
static int is_name(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return 0;
    return n > 0 && n < sizeof table[0].name;
}

int op_number(const char *name, enum trace_class class)
{
    uint32_t h = 2166136261u;
    for (const char *s = name; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    uint32_t at = h % SLOTS;
    for (; slot[at]; at = (at + 1) % SLOTS)
        if (!strcmp(table[slot[at] - 1].name, name))
            return slot[at] - 1;
    if (count == OP_TABLE_MAX || !is_name(name))
        return -1;
    snprintf(table[count].name, sizeof table[count].name, "%s", name);
    table[count].class = class == CLASSES ? known_class(name) : class;
    slot[at] = (uint16_t)(count + 1);
    return count++;
}

int op_count(void)
{
    return count;
}

const struct op *op_get(int n)
{
    return &table[n];
}

enum trace_class op_class(const char *name)
{
    for (int c = 0; c < CLASSES; c++)
        if (!strcasecmp(name, class_name[c]))
            return (enum trace_class)c;
    return CLASSES;
}

const char *op_class_name(enum trace_class class)
{
    return class_name[class];
}
