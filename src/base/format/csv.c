#include "base/format/csv.h"
#include "base/plain.h"
#include <stdbool.h>
#include <string.h>

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
