#include "collector/doctor/diagnosis.h"

#include <stdlib.h>

#include "cct/base/array.h"

void diagnosis_add(struct diagnosis *diagnosis, const char *check, enum finding_state state,
		   char *text, char *remedy)
{
	if (!text ||
	    array_reserve(diagnosis->findings, diagnosis->n_findings, diagnosis->n_allocated, 1)) {
		diagnosis->is_out_of_memory = true;
		free(text);
		free(remedy);
		return;
	}
	diagnosis->findings[diagnosis->n_findings++] =
		(struct finding){ check, state, text, remedy };
}

void diagnosis_deinit(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->n_findings; i++) {
		free(diagnosis->findings[i].text);
		free(diagnosis->findings[i].remedy);
	}
	free(diagnosis->findings);
}

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = {
		[FINDING_YES] = "yes",
		[FINDING_LIMITED] = "limited",
		[FINDING_NO] = "no",
	};

	return names[state];
}
