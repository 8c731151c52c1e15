/* Empties a directory that this run made. */
#ifndef BASE_EMPTY_H
#define BASE_EMPTY_H

/* Local; async-signal-safe: no heap, no locks. Removes the content of the directory
 * `fd`, and of its subdirectories. It works by descriptors: links are removed,
 * their targets are not, nor is another file system that is mounted there. Files
 * that others remove meanwhile are no failure. Returns 0, or -errno of what could
 * not be removed. */
int empty_folder(int fd);

#endif
