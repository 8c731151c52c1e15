#include "base/format/crc.h"
#include "base/format/crc_table.h"
#include <pthread.h>

static struct crc_table table;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    crc_table_make(&table, UINT32_C(0xedb88320));
}

uint32_t crc_more(uint32_t before, const void *data, int64_t n)
{
    pthread_once(&made, make_table);
    return ~crc_table_more(&table, ~before, data, n);
}

uint32_t crc_of(const void *data, int64_t n)
{
    return crc_more(0, data, n);
}
