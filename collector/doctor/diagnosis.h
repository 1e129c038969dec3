/* What dendro doctor found: one finding for each thing that can be recorded, or that limits it. */
#ifndef COLLECTOR_DOCTOR_DIAGNOSIS_H
#define COLLECTOR_DOCTOR_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/configuration/configuration.h"
#include "perf/kernel/limits.h"

enum finding_state { FINDING_YES, FINDING_LIMITED, FINDING_NO };

struct finding {
	const char *check; /* its name, static */
	enum finding_state state;
	char *text;   /* sentences; owned */
	char *remedy; /* the command or the setting that changes it; owned; NULL: none */
};

struct diagnosis {
	struct perf_limits limits;
	const struct configuration *configuration; /* borrowed */
	struct finding *findings;
	size_t n_findings, n_allocated;
	bool is_out_of_memory; /* a finding is missing */
};

/* A check's name, its title for people, and what finds it out. */
struct doctor_check {
	const char *name, *title;
	void (*run)(struct diagnosis *diagnosis, const char *check);
};

/* Adds a finding, and takes over @text and @remedy, which are on the heap. @text NULL: no memory.
 */
void diagnosis_add(struct diagnosis *diagnosis, const char *check, enum finding_state state,
		   char *text, char *remedy);
void diagnosis_deinit(struct diagnosis *diagnosis);
/* "yes", "limited", "no" */
const char *finding_state_name(enum finding_state state);

#endif
