/* libFuzzer target: any bytes as a skeleton. An accepted one has valid plans and
 * orders. */
#include "replay/skeleton.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skeleton s;
    int rc = skeleton_read(&s, "input", (const char *)data, (int64_t)size);
    fuzz_ended(rc);
    for (int i = 0; i < s.phases && !rc; i++)
        for (int64_t rank = 0; rank < s.ranks && rank < 16; rank++) {
            const struct sequence *order = skeleton_order_of(&s.phase[i], rank);
            struct sequence_walk w = {.of = order};
            int64_t step;
            for (int n = 0; order && n < 1000 && sequence_next(&w, &step); n++) {
                fuzz_demand(step < s.steps && s.step[step].phase == i);
                const struct skeleton_plan *p = skeleton_plan_of(&s.step[step], rank);
                fuzz_demand(!p || skeleton_plan_calls(p) >= 0);
            }
        }
    skeleton_free(&s);
    return 0;
}
