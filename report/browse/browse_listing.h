/* The source lines and instructions of a function, as dendro annotate writes them, by lines. */
#ifndef REPORT_BROWSE_BROWSE_LISTING_H
#define REPORT_BROWSE_BROWSE_LISTING_H

#include "report/browse/browse_state.h"

struct browse_listing {
	char *text;
	char **lines; /* in the text; without their ends */
	uint32_t n_lines, n_allocated;
	uint32_t top; /* the first line on the screen */
};

/*
 * Lists the function under the cursor, for a screen of @width columns. What cannot be listed leaves
 * a message, and no lines. 0 or -errno.
 */
int browse_listing_make(struct browse_listing *listing, struct browse *browse, unsigned width);
void browse_listing_deinit(struct browse_listing *listing);
/* Moves the first line, so that a page of lines is on the screen. */
void browse_listing_scroll(struct browse_listing *listing, int64_t by, uint32_t page_size);

#endif
