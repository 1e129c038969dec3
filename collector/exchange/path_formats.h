/* The formats of other programs in which dendro export can write the call paths of a profile. */
#ifndef COLLECTOR_EXCHANGE_PATH_FORMATS_H
#define COLLECTOR_EXCHANGE_PATH_FORMATS_H

#include "report/export/path_format.h"

extern const struct path_format path_formats[]; /* ends with a name of NULL */

/* NULL: unknown. */
const struct path_format *path_formats_find(const char *name);
/* "pprof or folded". Heap; NULL without memory. */
char *path_formats_names(void);
/* Likewise of those that can be checked. */
char *path_formats_verified(void);
/* A line "NAME: DESCRIPTION" for each. Likewise. */
char *path_formats_list(void);

#endif
