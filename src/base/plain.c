#include "base/plain.h"
#include <stdbool.h>
#include <string.h>

/* Returns 0 for stray or missing continuation bytes, overlong forms, surrogates, and
 * codes beyond U+10FFFF (RFC 3629). */
int plain_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xc2 ? 0
            : s[0] < 0xe0 ? 2
            : s[0] < 0xf0 ? 3
            : s[0] < 0xf5 ? 4
                          : 0;
    for (int i = 1; i < n; i++) /* stops at the terminating zero, too */
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* True if the character of n bytes at s is a control character. */
static bool is_control(const unsigned char *s, int n)
{
    return n == 1 ? s[0] < 0x20 || s[0] == 0x7f : n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

const char *plain(char *out, size_t room, const char *text)
{
    size_t at = 0;
    while (*text) {
        int n = plain_utf8(text);
        bool bad = !n || is_control((const unsigned char *)text, n);
        size_t bytes = bad ? 1 : (size_t)n;
        if (at + bytes >= room)
            break;
        if (bad)
            out[at] = '?';
        else
            memmove(out + at, text, bytes);
        at += bytes;
        text += n ? n : 1;
    }
    if (room)
        out[at] = 0;
    return out;
}

/* ---- comma-separated values ------------------------------------------------------ */

void csv_text(FILE *out, const char *text)
{
    if (!text)
        return;
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        fputc('"', out);
    for (int n; *text; text += n ? n : 1) {
        n = plain_utf8(text);
        if (*text == '"')
            fputc('"', out);
        if (n)
            fwrite(text, 1, (size_t)n, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)*text);
    }
    if (quoted)
        fputc('"', out);
}
