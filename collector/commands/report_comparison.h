/* dendro report --compare: two places of one run instead of a view. */
#ifndef COLLECTOR_COMMANDS_REPORT_COMPARISON_H
#define COLLECTOR_COMMANDS_REPORT_COMPARISON_H

#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"

/* Takes "F,G" for a field of struct report_options; commas in brackets belong to names. */
int report_comparison_take(const struct option_use *use, void *field);
/* Refuses options that have nothing to do with a comparison. 0, or an exit status after a message.
 */
int report_comparison_check(struct report_options *options);
/* Writes the comparison to standard output. 0, or another value after a message. */
int report_comparison_show(const struct report_options *options, const struct profile *profile,
			   struct symbolizer *symbolizer);

#endif
