/* Details about why paths are not complete, as far as the recorder knows more than the path. */
#ifndef REPORT_FINDINGS_PATH_ENDS_H
#define REPORT_FINDINGS_PATH_ENDS_H

#include "cct/model/profile.h"

/* A list with commas about the paths that end with the marker, to free(); NULL: none is known, or
 * out of memory. */
char *path_ends_explain(const struct profile *profile, enum marker marker);

#endif
