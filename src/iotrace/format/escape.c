#include "iotrace/format/escape.h"
#include "base/plain.h"
#include <string.h>

static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
static const char digits[] = "0123456789abcdef";

/* Returns the bytes of the character at `text` if it needs no escape; else 0. */
static size_t as_it_is(const char *text)
{
    unsigned char c = (unsigned char)*text;
    if (c >= ' ' && c < 0x7f)
        return c != '\\';
    size_t n = c < 0x80 ? 0 : (size_t)plain_utf8(text);
    return n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0 ? 0 : n;
}

size_t escape_none(const char *text)
{
    size_t all = 0, n;
    while ((n = as_it_is(text + all)) > 0)
        all += n;
    return all;
}

size_t escape_text(char *to, const char *from)
{
    char *begin = to;
    for (;;) {
        size_t n = escape_none(from);
        to = (char *)memcpy(to, from, n) + n;
        from += n;
        if (!*from)
            break;
        const char *at = strchr(special, *from);
        *to++ = '\\';
        *to++ = at ? letter[at - special] : 'x';
        if (!at) {
            *to++ = digits[(unsigned char)*from >> 4];
            *to++ = digits[*from & 15];
        }
        from++;
    }
    *to = 0;
    return (size_t)(to - begin);
}

/* Returns the byte of two hexadecimal digits; -1: there are none, or it is zero, which
 * would end the text. */
static int byte_of(const char *s)
{
    const char *high = *s ? strchr(digits, s[0]) : NULL;
    const char *low = high && s[1] ? strchr(digits, s[1]) : NULL;
    int byte = low ? (int)((high - digits) << 4 | (low - digits)) : 0;
    return byte ? byte : -1;
}

void escape_undo(char *text)
{
    char *to = text;
    while (*text) {
        const char *at = *text == '\\' && text[1] ? strchr(letter, text[1]) : NULL;
        int byte = *text == '\\' && text[1] == 'x' ? byte_of(text + 2) : -1;
        if (at)
            *to++ = special[at - letter];
        else
            *to++ = byte < 0 ? *text : (char)byte;
        text += at ? 2 : byte < 0 ? 1 : 4;
    }
    *to = 0;
}
