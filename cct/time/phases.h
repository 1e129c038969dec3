/*
 * Phases of a recorded run: intervals of time with names, one after the other. Between two phases,
 * and before the first, there may be time without any.
 *
 * Rows of samples have microseconds, so a phase begins with the first microsecond that begins at or
 * after its mark. A sample that is older than a mark is thus never in its phase.
 */
#ifndef CCT_TIME_PHASES_H
#define CCT_TIME_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PHASES_MAX          10000
#define PHASE_NAME_SIZE_MAX 255 /* bytes, without the NUL */
#define PHASE_NONE          UINT32_MAX

struct phase {
	char *name;
	uint64_t start_ns, end_ns; /* end_ns 0: up to the end of the recording */
};

/* All zero is an empty list. */
struct phases {
	struct phase *phases; /* owned; by time; none overlaps another */
	uint32_t n;
	uint64_t last_ns; /* of the last mark */
};

void phases_deinit(struct phases *phases);
/*
 * Ends the last phase, and begins another unless the name is empty. 0; -ENOMEM; -EINVAL, and
 * nothing changes: an earlier mark, or a name that is too long. Once there are PHASES_MAX, none
 * begins.
 */
int phases_mark(struct phases *phases, const char *name, uint64_t time_ns);
/* The time at which a phase is over, in a run that ends at @run_end_ns. */
uint64_t phases_end_ns(const struct phases *phases, uint32_t index, uint64_t run_end_ns);
/* The phase in which a sample was taken so many microseconds after the profile's start, which is
 * @start_ns of the recording's clock; or PHASE_NONE. */
uint32_t phases_find(const struct phases *phases, uint64_t start_ns, uint64_t microseconds);
/* Whether that sample was taken before the first phase. */
bool phases_are_ahead(const struct phases *phases, uint64_t start_ns, uint64_t microseconds);

#endif
