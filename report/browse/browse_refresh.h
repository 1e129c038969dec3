/* Another profile of the same recording, which has gone on, in place of the one that is shown. */
#ifndef REPORT_BROWSE_BROWSE_REFRESH_H
#define REPORT_BROWSE_BROWSE_REFRESH_H

#include "report/browse/browse_state.h"

/*
 * Shows @profile, with its names, from now on: in the same view, unfolded where it was, with the
 * cursor on the same row and that in the same line of the screen, as far as it has these rows. If
 * nothing is left of the part that is shown, the whole profile is, with a message. Both are
 * borrowed in place of those before, which are not needed any more. @source: the title's. The
 * metrics must be the same, or those before none. With options.is_recent it is -ENOENT instead. 0,
 * or -errno with everything as before.
 */
int browse_refresh(struct browse *browse, const struct profile *profile,
		   struct symbolizer *symbolizer, const char *source);

#endif
