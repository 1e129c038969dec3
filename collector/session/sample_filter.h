/* Which samples a session takes, and which of a profile's rows are those. */
#ifndef COLLECTOR_SESSION_SAMPLE_FILTER_H
#define COLLECTOR_SESSION_SAMPLE_FILTER_H

#include "collector/session/dendro.h"
#include "collector/values/sample_values.h"

/* Whether anything is filtered. */
bool sample_filter_is_given(const struct dendro_filter *filter);
/* @profile: with the phases that have begun before the sample; its start is known. @times: of all
 * samples; NULL: its time does not matter. */
bool sample_filter_passes(const struct dendro_filter *filter, const struct profile *profile,
			  const struct time_span *times, const struct sample *sample);
/* Whether the conditions on values hold for a sample that passes the filter else, and counts the
 * sample if not. @values: may be NULL without conditions. 1, 0, or -ENOMEM. */
int sample_filter_ask(const struct dendro_filter *filter, struct profile *profile,
		      struct sample_values *values, const struct sample *sample);
/* Whether a row of a profile, which must have them, passes. */
bool sample_filter_passes_any(const struct dendro_filter *filter, const struct profile *profile);
/* Leaves the rows of a profile, which must have them, that do not pass out of it. 0; -ENOMEM or,
 * with filter->time, -ENODATA, its samples have no times: only destroying the profile is possible.
 */
int sample_filter_apply(const struct dendro_filter *filter, struct profile *profile);

#endif
