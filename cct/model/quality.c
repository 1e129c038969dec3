#include "cct/model/quality.h"

#include <inttypes.h>

#include "cct/text/counted_text.h"

static const struct quality_description descriptions[N_QUALITY_COUNTERS] = {
	[QUALITY_SAMPLES] = { QUALITY_TOP, "samples", NULL },
	[QUALITY_LOST] = { QUALITY_TOP, "lost", NULL },
	[QUALITY_THROTTLED] = { QUALITY_TOP, "throttled", NULL },
	[QUALITY_GUESSED] = { QUALITY_TOP, "guessed",
			      "{path contains|paths contain} guessed frames: code without unwind "
			      "information" },
	[QUALITY_STITCHED] = { QUALITY_TOP, "stitched",
			       "path{|s} completed from stack memory recorded apart from samples" },
	[QUALITY_GUESSED_FRAMES] = { QUALITY_TOP, "guessed_frames", NULL },
	[QUALITY_UNWEIGHED] = { QUALITY_TOP, "unweighed",
				"{sample carries|samples carry} no weight and {counts|count} as "
				"0" },
	[QUALITY_TEXT_POKES] = { QUALITY_TOP, "text_pokes", NULL },
	[QUALITY_UNNAMED_CODE] = { QUALITY_TOP, "unnamed_code",
				   "kernel code change{|s} not tracked (too many): some kernel "
				   "code has no name" },
	[QUALITY_FOLDED] = { QUALITY_TOP, "folded",
			     "sample{|s} folded to shared callers: {its path was|their paths were} "
			     "seen once" },
	[QUALITY_JOINED_ADDRESSES] = { QUALITY_TOP, "joined_addresses",
				       "sample{|s} moved to another rare address of {its|their} "
				       "function" },
	[QUALITY_SHORT_PROCESSES] = { QUALITY_TOP, "short_processes",
				      "short process{|es} joined by name, and no longer told apart "
				      "by "
				      "{its pid|their pids}" },
	[QUALITY_COMPLETE] = { QUALITY_UNWIND, "complete", "complete" },
	[QUALITY_JOINED] = { QUALITY_UNWIND, "joined",
			     "cut, joined by likeness to the callers of another sample" },
	[QUALITY_NO_USER_PART] = { QUALITY_UNWIND, "no_user_part", "kernel only" },
	[QUALITY_UNVERIFIED] = { QUALITY_UNWIND, "kernel_walked",
				 "from the kernel's own frame-pointer walk, not verified" },
	[QUALITY_LBR] = { QUALITY_UNWIND, "branch_stack",
			  "from the processor's call stack (LBR), not verified" },
	[QUALITY_FLAT] = { QUALITY_UNWIND, "flat", "without callers: none were recorded" },
	[QUALITY_OFF_AT_END] = { QUALITY_OFF_CPU, "off_at_end",
				 "thread{|s} off the CPU when the recording ended: {its|their} "
				 "time counts up to then" },
	[QUALITY_OFF_UNPAIRED] = { QUALITY_OFF_CPU, "unpaired",
				   "context {switch lacks its|switches lack their} counterpart: "
				   "time off the CPU is missing" },
	[QUALITY_OFF_DOUBTFUL] = { QUALITY_OFF_CPU, "doubtful",
				   "period{|s} off the CPU may be too long: records of context "
				   "switches were lost" },
	[QUALITY_SILENT_THREADS] = { QUALITY_OFF_CPU, "silent_threads",
				     "thread{|s} without context switches: always asleep, always "
				     "running, or not recorded" },
	[QUALITY_JITDUMPS_MISSING] = { QUALITY_JITDUMPS, "missing",
				       "jitdump {file is|files are} missing: JIT code has no "
				       "names" },
	[QUALITY_JITDUMPS_UNTIMED] = { QUALITY_JITDUMPS, "untimed",
				       "jitdump {file uses|files use} a different clock: addresses "
				       "are named by the latest code there" },
	[QUALITY_JITDUMPS_CUT] = { QUALITY_JITDUMPS, "cut",
				   "jitdump {file ends|files end} inside a record: later code has "
				   "no names" },
	[QUALITY_JITDUMP_RECORDS_BROKEN] = { QUALITY_JITDUMPS, "broken_records",
					     "malformed jitdump record{|s} skipped" },
	[QUALITY_JITDUMP_LINES_BROKEN] = { QUALITY_JITDUMPS, "broken_lines",
					   "function{|s} of jitdump files without source lines: "
					   "malformed line tables" },
	[QUALITY_BRANCHES] = { QUALITY_HIDDEN, "branches",
			       "{sample has|samples have} branch records (LBR), which are not "
			       "shown" },
	[QUALITY_FILTERED] = { QUALITY_HIDDEN, "filtered", NULL },
	[QUALITY_CONDITION_UNKNOWN] = { QUALITY_HIDDEN, "condition_unknown",
					"sample{|s} left out because it is not known whether "
					"--where holds" },
	[QUALITY_SPLIT_UNKNOWN] = { QUALITY_HIDDEN, "split_unknown",
				    "sample{|s} split by a value that is not known" },
	[QUALITY_SPLIT_OPEN] = { QUALITY_HIDDEN, "split_open",
				 "sample{|s} not split: the function may be on the rest of "
				 "{its|their} path, which is not known" },
	[QUALITY_SPLIT_OTHERS] = { QUALITY_HIDDEN, "split_others",
				   "sample{|s} split by other values than the first 1000, in one "
				   "row" },
	[QUALITY_CONDITION_LATER] = { QUALITY_HIDDEN, "condition_later",
				      "sample{|s} for which --where was answered by memory that "
				      "was read a moment later (record --follow)" },
	[QUALITY_SPLIT_LATER] = { QUALITY_HIDDEN, "split_later",
				  "sample{|s} split by a value that was read a moment later "
				  "(record --follow)" },
	[QUALITY_LOST_SIDEBAND] = { QUALITY_HIDDEN, "lost_sideband",
				    "record{|s} of processes and mappings lost: names may be "
				    "wrong" },
	[QUALITY_NOT_ATTRIBUTED] = { QUALITY_HIDDEN, "not_attributed",
				     "sample{|s} of events that the recording does not describe" },
	[QUALITY_LATE_RECORDS] = { QUALITY_HIDDEN, "late_records",
				   "record{|s} arrived too late to be put into time order" },
	[QUALITY_UNKNOWN_PROCESSES] = { QUALITY_HIDDEN, "unknown_processes",
					"sample{|s} of processes that no record introduced" },
	[QUALITY_UNKNOWN_RECORDS] = { QUALITY_HIDDEN, "unknown_records",
				      "record{|s} of unknown type skipped" },
	[QUALITY_BROKEN_RECORDS] = { QUALITY_HIDDEN, "malformed_records",
				     "malformed record{|s} skipped" },
	[QUALITY_UNREAD_RESTS + REST_MOVED_ON] = { QUALITY_RESTS, "rest_moved_on",
						   "returned before {it|they} could be read" },
	[QUALITY_UNREAD_RESTS + REST_NO_TIME] = { QUALITY_RESTS, "rest_no_time",
						  "came faster than {it|they} can be read" },
	[QUALITY_UNREAD_RESTS + REST_NO_REGISTER] = { QUALITY_RESTS, "rest_no_register",
						      "found no free debug register" },
	[QUALITY_UNREAD_RESTS +
		REST_FORBIDDEN] = { QUALITY_RESTS, "rest_forbidden",
				    "may not be read (CAP_PERFMON and CAP_SYS_PTRACE permit it)" },
	[QUALITY_UNREAD_RESTS +
		REST_NOT_OWN] = { QUALITY_RESTS, "rest_not_own",
				  "{lies on a stack|lie on stacks} that the program made itself" },
	[QUALITY_UNREAD_RESTS +
		REST_NO_WALK] = { QUALITY_RESTS, "rest_no_walk", "could not be unwound" },
	[QUALITY_UNREAD_RESTS +
		REST_FAILED] = { QUALITY_RESTS, "rest_failed", "had gone with {its|their} thread" },
	[QUALITY_UNREAD_RESTS + REST_UNSAFE] = { QUALITY_RESTS, "rest_unsafe",
						 "{is|are} not safe to watch in this virtual "
						 "machine (--deep-stacks)" },
	[QUALITY_UNREAD_RESTS + REST_UNSEEN] = { QUALITY_RESTS, "rest_unseen",
						 "can't be watched: debug registers do nothing in "
						 "this virtual machine" },
};

const enum quality_counter quality_warnings[N_QUALITY_WARNINGS] = {
	QUALITY_CONDITION_UNKNOWN,
	QUALITY_SPLIT_UNKNOWN,
	QUALITY_SPLIT_OPEN,
	QUALITY_SPLIT_OTHERS,
	QUALITY_CONDITION_LATER,
	QUALITY_SPLIT_LATER,
	QUALITY_GUESSED,
	QUALITY_STITCHED,
	QUALITY_FOLDED,
	QUALITY_JOINED_ADDRESSES,
	QUALITY_SHORT_PROCESSES,
	QUALITY_BRANCHES,
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

enum quality_counter quality_of_mark(enum path_mark mark)
{
	static const enum quality_counter counters[N_PATH_MARKS] = {
		[PATH_GUESSED] = QUALITY_GUESSED,
		[PATH_STITCHED] = QUALITY_STITCHED,
		[PATH_JOINED] = QUALITY_JOINED,
	};

	return counters[mark];
}

void quality_print_rests(FILE *out, const char *label, const uint64_t rests[N_UNREAD_RESTS])
{
	const char *separator = label;
	char text[COUNTED_TEXT_SIZE];

	for (unsigned i = 0; i < N_UNREAD_RESTS; i++) {
		if (!rests[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, rests[i],
			counted_text(descriptions[QUALITY_UNREAD_RESTS + i].text, rests[i], text));
		separator = ", ";
	}
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
