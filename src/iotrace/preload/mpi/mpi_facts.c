/* Facts about a file that only MPI knows: how many ranks have opened it together, and
 * the hints that the library has made of the program's. */
#include "iotrace/preload/mpi/mpi.h"
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 256, VALUE_BYTES = 1024 };

/* Replaces characters that would end a value, or a line. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (*text == ';' || *text == '\n')
            *text = '?';
}

/* Writes "KEY=VALUE;" to `to`; returns its bytes. */
static size_t mpi_facts_hint(intptr_t info, intptr_t n, char *to, size_t room)
{
    char key[KEY_BYTES] = "", value[VALUE_BYTES + 1] = "";
    int32_t there = 0;
    if (mpi.info_key(info, n, (intptr_t)key, 0, 0, 0) ||
        mpi.info_value(info, (intptr_t)key, VALUE_BYTES, (intptr_t)value,
                       (intptr_t)&there, 0) ||
        !there)
        return 0;
    make_plain(key);
    make_plain(value);
    int bytes = snprintf(to, room, "%s=%s;", key, value);
    if (bytes < 0 || (size_t)bytes >= room) {
        *to = 0; /* rather no hint than a part of one */
        return 0;
    }
    return (size_t)bytes;
}

static void mpi_facts_hints(intptr_t handle, char *to, size_t room)
{
    intptr_t info = 0;
    int32_t keys = 0;
    size_t at = 0;
    if (!mpi.file_info || !mpi.info_keys || !mpi.info_key || !mpi.info_value ||
        !mpi.info_free || mpi.file_info(handle, (intptr_t)&info, 0, 0, 0, 0))
        return;
    if (mpi.info_keys(info, (intptr_t)&keys, 0, 0, 0, 0))
        keys = 0;
    for (int32_t i = 0; i < keys; i++)
        at += mpi_facts_hint(info, i, to + at, room - at);
    mpi.info_free((intptr_t)&info, 0, 0, 0, 0, 0);
}

void mpi_opened(intptr_t comm, intptr_t handle, uint32_t file)
{
    int32_t ranks = 0;
    ROOM(text);
    if (!text || !file || file >= FILE_EXCLUDED ||
        mpi.comm_size(comm, (intptr_t)&ranks, 0, 0, 0, 0))
        return;
    int bytes = snprintf(text, PATH_BYTES, "%d ", ranks);
    mpi_facts_hints(handle, text + bytes, PATH_BYTES - (size_t)bytes);
    name_of_text(text, TRACE_MPI, (int)file);
}
