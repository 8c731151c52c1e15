/* Where this program is. */
#ifndef IOTRACE_LAUNCH_H
#define IOTRACE_LAUNCH_H

#include <stddef.h>

/* Local. The folder of this executable, "." where that is not known. */
void launch_folder(char *out, size_t size);

#endif
