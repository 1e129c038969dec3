/* The search of dendro browse: while a text is typed, and from match to match. */
#ifndef REPORT_BROWSE_BROWSE_TYPING_H
#define REPORT_BROWSE_BROWSE_TYPING_H

#include "report/browse/browse_state.h"

/* All return 0 or -errno. */

/* A text is about to be typed: the row under the cursor is where its search begins. */
void browse_search_begin(struct browse *browse);
/* The text is this now. The cursor is at the first match. */
int browse_search_type(struct browse *browse, const char *text);
/* Ends the typing; back at the row where it began, or at the match. */
int browse_search_finish(struct browse *browse, bool stays);
/* Goes to the next match, or to the one before. */
int browse_search_next(struct browse *browse, bool backward);

#endif
