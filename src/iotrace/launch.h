/* The place of this program. */
#ifndef IOTRACE_LAUNCH_H
#define IOTRACE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/* Local. Finds the folder of this executable; "." if it is not known. */
void launch_folder(char *out, size_t size);

/* Local. Finds the installed file `configured`: relative to this executable, as it was
 * configured ("make install prefix=ELSEWHERE" moves both), or else at `configured`
 * itself. False: it can be read at neither. */
bool launch_installed(char *out, size_t size, const char *configured);

#endif
