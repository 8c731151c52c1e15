#include "iotrace/format/lustre.h"
#include "base/format/lustre.h"

bool lustre_stripes(const unsigned char *b, size_t n, uint32_t *bytes, uint32_t *count)
{
    struct lustre_component last = {.layout = b, .n = n};
    struct lustre_plain p;
    *bytes = *count = 0;
    if (lustre_magic(b, n) == LUSTRE_COMPOSITE) {
        int components = lustre_components(b, n);
        if (!components || !lustre_component(b, n, components - 1, &last))
            return false;
    }
    if (!lustre_plain(last.layout, last.n, &p))
        return false;
    if (p.pattern & (LUSTRE_PATTERN_MDT | LUSTRE_PATTERN_FOREIGN))
        return true;
    *bytes = p.stripe_bytes;
    *count = p.stripes == LUSTRE_EVERY_SERVER ? 0 : (uint32_t)p.stripes;
    return true;
}
