#ifndef BASE_VERSION_H
#define BASE_VERSION_H

extern const char leadline_version[]; /* "0.1-3-gabc", from git at make time */

#endif
