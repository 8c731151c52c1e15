/* Commands that hand over to the Python package. */
#ifndef IOTRACE_PYTHON_H
#define IOTRACE_PYTHON_H

#define PYTHON_ARGS 16

/* Local. Replaces this process by Python, which runs the package's `script` with
 * --program (this program) and `args`, which end with NULL. Returns only if that
 * failed: -errno with a sentence. */
int python_become(const char *script, const char *const args[]);

#endif
