#include "hydro/gsf_out.h"
#include <stdio.h>

static const struct {
    const char *name, *text;
    bool flagged; /* by the file itself, which is expected */
} reasons[GSF_OUTS] = {
    [GSF_OUT_IGNORED] = {"ignored_ping", "in pings that the file says to ignore", true},
    [GSF_OUT_POSITION] = {"no_position", "in pings without a position", false},
    [GSF_OUT_GLOBE] = {"impossible_position",
                       "in pings whose position is beyond 90 degrees of latitude or "
                       "180 of longitude",
                       false},
    [GSF_OUT_DEPTHS] = {"no_depths",
                        "in pings without depths, such as polar ones with travel times "
                        "and angles only",
                        false},
    [GSF_OUT_FLAG] = {"flagged_null", "flagged as without detection", true},
    [GSF_OUT_DEPTH] = {"null_depth", "with a depth of 0 (no detection) and no flag",
                       false},
    [GSF_OUT_ACROSS] = {"no_across", "in pings without across-track distances", false},
    [GSF_OUT_HEADING] = {"no_heading", "in pings without a heading", false},
    [GSF_OUT_AREA] = {"outside", "outside of the grid", false},
};

const char *gsf_out_name(enum gsf_out why)
{
    return reasons[why].name;
}

int64_t gsf_out_sum(const int64_t out[GSF_OUTS])
{
    int64_t n = 0;
    for (int i = GSF_IN + 1; i < GSF_OUTS; i++)
        n += out[i];
    return n;
}

int64_t gsf_out_unflagged(const int64_t out[GSF_OUTS])
{
    int64_t n = 0;
    for (int i = GSF_IN + 1; i < GSF_OUTS; i++)
        n += reasons[i].flagged ? 0 : out[i];
    return n;
}

void gsf_out_tell(const int64_t out[GSF_OUTS], char *text, size_t size)
{
    size_t n = 0;
    snprintf(text, size, "none");
    for (int i = GSF_IN + 1; i < GSF_OUTS; i++)
        if (out[i] && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%lld %s", n ? ", " : "",
                                  (long long)out[i], reasons[i].text);
}
