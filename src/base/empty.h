/* Emptying a folder that this run made. */
#ifndef BASE_EMPTY_H
#define BASE_EMPTY_H

/* Local; async-signal-safe: no heap, no locks. Removes what is in the folder `fd`, and
 * in folders in it. By descriptors: names that are links go, and what they lead to
 * stays, and so does another file system that is mounted there. What others remove
 * meanwhile is no failure. Returns 0, or -errno of what could not be removed. */
int empty_folder(int fd);

#endif
