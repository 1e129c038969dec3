#include "cct/model/quality.h"

#include <assert.h>

static_assert(QUALITY_STITCHED - QUALITY_GUESSED == PATH_STITCHED - PATH_GUESSED &&
		      QUALITY_STITCHED + 1 - QUALITY_GUESSED == (int)N_PATH_MARKS,
	      "quality_of_mark() counts on it");

static const struct quality_description descriptions[N_QUALITY_COUNTERS] = {
	[QUALITY_SAMPLES] = { QUALITY_TOP, "samples", NULL },
	[QUALITY_LOST] = { QUALITY_TOP, "lost", NULL },
	[QUALITY_THROTTLED] = { QUALITY_TOP, "throttled", NULL },
	[QUALITY_GUESSED] = { QUALITY_TOP, "guessed",
			      "paths with frames without unwind information, guessed" },
	[QUALITY_STITCHED] = { QUALITY_TOP, "stitched",
			       "paths completed from stack memory read apart from the sample" },
	[QUALITY_GUESSED_FRAMES] = { QUALITY_TOP, "guessed_frames", NULL },
	[QUALITY_UNWEIGHED] = { QUALITY_TOP, "unweighed",
				"samples do not tell how much they stand for: they add nothing to "
				"the cost" },
	[QUALITY_TEXT_POKES] = { QUALITY_TOP, "text_pokes", NULL },
	[QUALITY_UNNAMED_CODE] = { QUALITY_TOP, "unnamed_code",
				   "changes of the kernel's code are too many: some code has no "
				   "name" },
	[QUALITY_COMPLETE] = { QUALITY_UNWIND, "complete", "complete" },
	[QUALITY_NO_USER_PART] = { QUALITY_UNWIND, "no_user_part", "of the kernel alone" },
	[QUALITY_UNVERIFIED] = { QUALITY_UNWIND, "kernel_walked", "as the kernel walked them" },
	[QUALITY_OFF_AT_END] = { QUALITY_OFF_CPU, "off_at_end",
				 "threads off the CPU when the recording ended, counted up to "
				 "there" },
	[QUALITY_OFF_UNPAIRED] = { QUALITY_OFF_CPU, "unpaired",
				   "switches without their other half: time off the CPU is "
				   "missing" },
	[QUALITY_OFF_DOUBTFUL] = { QUALITY_OFF_CPU, "doubtful",
				   "times off the CPU may be too long: records of switches were "
				   "lost" },
	[QUALITY_SILENT_THREADS] = { QUALITY_OFF_CPU, "silent_threads",
				     "threads without any switch: asleep or running all the time, "
				     "or not recorded" },
	[QUALITY_JITDUMPS_MISSING] = { QUALITY_JITDUMPS, "missing",
				       "jitdumps are not to be had: code made at run time has no "
				       "names" },
	[QUALITY_JITDUMPS_UNTIMED] = { QUALITY_JITDUMPS, "untimed",
				       "jitdumps have times of another clock: the latest code of a "
				       "place names all there" },
	[QUALITY_JITDUMPS_CUT] = { QUALITY_JITDUMPS, "cut",
				   "jitdumps end inside a record: code made later has no names" },
	[QUALITY_JITDUMP_RECORDS_BROKEN] = { QUALITY_JITDUMPS, "broken_records",
					     "records of jitdumps that contradict themselves "
					     "skipped" },
	[QUALITY_JITDUMP_LINES_BROKEN] = { QUALITY_JITDUMPS, "broken_lines",
					   "functions of jitdumps without source lines: they make "
					   "no sense" },
	[QUALITY_FILTERED] = { QUALITY_HIDDEN, NULL, NULL },
	[QUALITY_LOST_SIDEBAND] = { QUALITY_HIDDEN, NULL,
				    "records of processes and mappings lost: names may be wrong" },
	[QUALITY_NOT_ATTRIBUTED] = { QUALITY_HIDDEN, NULL,
				     "samples of events the recording does not name" },
	[QUALITY_LATE_RECORDS] = { QUALITY_HIDDEN, NULL, "records out of order, used late" },
	[QUALITY_UNKNOWN_PROCESSES] = { QUALITY_HIDDEN, NULL,
					"samples of processes never announced" },
	[QUALITY_UNKNOWN_RECORDS] = { QUALITY_HIDDEN, NULL, "records of unknown type skipped" },
	[QUALITY_BROKEN_RECORDS] = { QUALITY_HIDDEN, NULL,
				     "records that contradict themselves skipped" },
};

const enum quality_counter quality_warnings[N_QUALITY_WARNINGS] = {
	QUALITY_GUESSED,
	QUALITY_STITCHED,
	QUALITY_LOST_SIDEBAND,
	QUALITY_NOT_ATTRIBUTED,
	QUALITY_UNWEIGHED,
	QUALITY_LATE_RECORDS,
	QUALITY_UNKNOWN_PROCESSES,
	QUALITY_UNKNOWN_RECORDS,
	QUALITY_UNNAMED_CODE,
	QUALITY_OFF_AT_END,
	QUALITY_SILENT_THREADS,
	QUALITY_OFF_UNPAIRED,
	QUALITY_OFF_DOUBTFUL,
	QUALITY_JITDUMPS_MISSING,
	QUALITY_JITDUMPS_UNTIMED,
	QUALITY_JITDUMPS_CUT,
	QUALITY_JITDUMP_RECORDS_BROKEN,
	QUALITY_JITDUMP_LINES_BROKEN,
	QUALITY_BROKEN_RECORDS,
};

const struct quality_description *quality_describe(enum quality_counter counter)
{
	return &descriptions[counter];
}

uint64_t quality_n_used(const struct profile_quality *quality)
{
	return quality->counts[QUALITY_SAMPLES] - quality->counts[QUALITY_FILTERED];
}

void quality_merge(struct profile_quality *into, const struct profile_quality *from)
{
	for (int i = 0; i < N_QUALITY_COUNTERS; i++)
		into->counts[i] += from->counts[i];
	for (int marker = 0; marker < N_MARKERS; marker++)
		into->incomplete[marker] += from->incomplete[marker];
}
