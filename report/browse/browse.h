/*
 * dendro browse without a terminal: what each key does to the state (report/browse/browse_state.h).
 */
#ifndef REPORT_BROWSE_BROWSE_H
#define REPORT_BROWSE_BROWSE_H

#include "report/browse/browse_keys.h"
#include "report/browse/browse_state.h"

/*
 * Shows the tree. The profile, the symbolizer and the texts of the options are borrowed. The caller
 * frees *@browse_ret with browse_destroy(). 0 or -errno.
 */
int browse_create(const struct profile *profile, struct symbolizer *symbolizer,
		  const struct browse_options *options, struct browse **browse_ret);
void browse_destroy(struct browse *browse);

/*
 * For a program that does nothing else from now on: memory that is freed stays with the process.
 * Each part of a large profile needs as much of it as the one before, and to get that from the
 * kernel again takes as long as what is done with it.
 */
void browse_keep_memory(void);
/*
 * After that: a thread gets from the kernel what the first filters and pages of a large profile
 * will take, while its reader looks at the first screen; otherwise the first keys would wait for
 * it. browse_destroy() ends the thread. Without memory, or on a kernel that cannot, nothing is
 * done.
 */
void browse_fetch_memory(struct browse *browse);
void browse_end_memory(struct browse *browse);

/* Whether the action looks at the whole profile, not just at rows that are shown. */
bool browse_act_counts(const struct browse *browse, enum browse_action action);
/* Does what concerns the views; other actions do nothing. 0 or -errno. */
int browse_act(struct browse *browse, enum browse_action action);

#endif
