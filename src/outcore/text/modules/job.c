#include "outcore/text/modules/job.h"
#include "base/err.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const text_module_names[TEXT_MODULES] = {
    "xml", "keywords", "crf", "maxent", "unify", "proximity", "table", "decide"};

int text_fail(const struct text_job *j, int code, int64_t offset, const char *fmt, ...)
{
    char text[768];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(code, j->name, offset, "module %s: %s",
                   j->module < TEXT_MODULES ? text_module_names[j->module] : "check",
                   text);
}

int text_array_fit(struct text_array *a, int64_t n, int64_t bytes)
{
    int64_t all, room = a->room > n / 2 ? 2 * a->room : n;
    room = room < 64 ? 64 : room;
    if (n <= a->room)
        return 0;
    void *at =
        __builtin_mul_overflow(room, bytes, &all) ? NULL : realloc(a->at, (size_t)all);
    if (!at)
        return -ENOMEM;
    a->at = at;
    a->room = room;
    return 0;
}

int text_out_fit(struct text_out *o, int64_t more)
{
    int64_t need;
    if (o->failed)
        return o->failed;
    if (__builtin_add_overflow(o->bytes, more, &need) || (o->most && need > o->most))
        return o->failed = -EFBIG;
    if (o->at && need <= o->room)
        return 0;
    int64_t room = o->room > need / 2 ? 2 * o->room : need + 4096;
    char *at = realloc(o->at, (size_t)room);
    if (!at)
        return o->failed = -ENOMEM;
    o->room = room;
    o->at = at;
    return 0;
}

void text_put_text(struct text_out *o, const char *text)
{
    text_put(o, text, (int64_t)strlen(text));
}

void text_put_number(struct text_out *o, int64_t n, char then)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = then;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    text_put(o, at, digits + sizeof digits - at);
}

void text_printf(struct text_out *o, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    text_put_text(o, text);
}
