/*
 * Phases of recorded runs: intervals of time with names, in each run one after the other. Between
 * two phases, and before the first, there may be time without any. A recording has one run, 0;
 * merged profiles have several (cct/model/sample_rows.h), each with times of its own clock.
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
	uint64_t start_ns, end_ns; /* end_ns 0: up to the end of the run */
	uint32_t run;
};

/* All zero is an empty list. */
struct phases {
	struct phase *phases; /* owned; by run and time */
	uint32_t n;
	uint64_t last_ns; /* of the last mark, in a recording */
};

void phases_deinit(struct phases *phases);
/*
 * Ends the last phase of a recording, and begins another unless the name is empty. 0; -ENOMEM;
 * -EINVAL, and nothing changes: an earlier mark, or a name that is too long. Once there are
 * PHASES_MAX, none begins.
 */
int phases_mark(struct phases *phases, const char *name, uint64_t time_ns);
/* Adds a phase, whose name is copied, to those of several runs, of any order until they are sorted.
 * 0 or -ENOMEM. */
int phases_add(struct phases *phases, const struct phase *phase);
/* Sorts them, by run, begin, end and name; of equal ones, one stays. */
void phases_sort(struct phases *phases);
/* The order of two phases in the list. */
int phases_compare(const struct phase *a, const struct phase *b);
/* The time at which a phase is over, in its run, which ends at @run_end_ns. */
uint64_t phases_end_ns(const struct phases *phases, uint32_t index, uint64_t run_end_ns);
/* The phase in which a sample of a run was taken so many microseconds after its start, which is
 * @start_ns of the run's clock; or PHASE_NONE. Where two profiles disagree about a run, so that
 * phases overlap, a sample is in the last that has begun, or in none. */
uint32_t phases_find(const struct phases *phases, uint32_t run, uint64_t start_ns,
		     uint64_t microseconds);
/* Whether that sample was taken before the run's first phase. */
bool phases_are_ahead(const struct phases *phases, uint32_t run, uint64_t start_ns,
		      uint64_t microseconds);
/* The first microsecond since which that sample's run has been in the same phase, or in none. */
uint64_t phases_since(const struct phases *phases, uint32_t run, uint64_t start_ns,
		      uint64_t microseconds);

#endif
