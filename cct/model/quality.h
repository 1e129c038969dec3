/*
 * How good the data of a profile is: counters, each described in one table. Reports, exporters and
 * files walk over the table, so a new counter is an enumerator, its row, and the place that counts.
 *
 * Every counter counts something that happened, so the counters of several threads, or of several
 * recordings, merge by adding them up.
 */
#ifndef CCT_MODEL_QUALITY_H
#define CCT_MODEL_QUALITY_H

#include <stdint.h>
#include <stdio.h>

#include "cct/model/cct.h"
#include "cct/model/frame.h"

/* Why the rest of a stack was not read. Recordings contain the counts in this order. */
enum unread_rest {
	REST_MOVED_ON,    /* the thread had left the sampled frames before it was looked at */
	REST_NO_TIME,     /* more of them than the recorder has time for */
	REST_NO_REGISTER, /* all debug registers are in use */
	REST_FORBIDDEN,   /* no permission to watch the thread, or to read its memory */
	REST_NOT_OWN,     /* a stack that the program made and may continue elsewhere */
	REST_NO_WALK,     /* no way through the copy */
	REST_FAILED,      /* the thread has ended; no memory */
	REST_UNSAFE,      /* debug registers may end the program here */
	REST_UNSEEN,      /* debug registers do nothing here */
	N_UNREAD_RESTS
};

/* Counted in samples unless said otherwise. The order is that of the counters in JSON. */
enum quality_counter {
	QUALITY_SAMPLES,   /* received, all metrics */
	QUALITY_LOST,      /* not delivered by the kernel */
	QUALITY_THROTTLED, /* THROTTLE records: times the kernel held events back */
	QUALITY_GUESSED,   /* quality_of_mark() */
	QUALITY_STITCHED,
	QUALITY_GUESSED_FRAMES, /* callers found without CFI, by verified guesses */
	QUALITY_UNWEIGHED,      /* samples that carry no weight and count as 0 */
	QUALITY_TEXT_POKES,     /* times the kernel changed its own code: jump labels, probes */
	QUALITY_UNNAMED_CODE,   /* kernel code whose coming or going could not be followed */
	QUALITY_FOLDED,         /* the path has MARKER_SEEN_ONCE instead of its innermost frames */
	/* were given another address of their function: cct/merge/join_addresses.h */
	QUALITY_JOINED_ADDRESSES,
	QUALITY_SHORT_PROCESSES, /* processes that are one with others: profile_process.n_joined */
	/* What became of the user part; with ->incomplete these add up to the samples used. */
	QUALITY_COMPLETE, /* it ends at the root */
	QUALITY_JOINED,   /* it was cut, and its callers are another sample's: quality_of_mark() */
	QUALITY_NO_USER_PART, /* kernel threads and idle: complete without user frames */
	QUALITY_UNVERIFIED,   /* as the kernel walked it, by frame pointers */
	QUALITY_LBR,          /* from branch records: LBR call stacks */
	QUALITY_FLAT,         /* the event records no callers */
	/* Time off the CPU. */
	QUALITY_OFF_AT_END,     /* threads that were off at the end: counted up to then */
	QUALITY_OFF_UNPAIRED,   /* times a thread left or came back without a record: 0 ns */
	QUALITY_OFF_DOUBTFUL,   /* times off during which records of switches were lost */
	QUALITY_SILENT_THREADS, /* without any switch: asleep or running all along */
	/* Jitdumps. */
	QUALITY_JITDUMPS_MISSING, /* mapped by a process, but not found or not readable */
	QUALITY_JITDUMPS_UNTIMED, /* use another clock: the latest code at an address names all */
	QUALITY_JITDUMPS_CUT,     /* end inside a record */
	QUALITY_JITDUMP_RECORDS_BROKEN,
	QUALITY_JITDUMP_LINES_BROKEN, /* functions whose source lines are malformed */
	/* Not in JSON. */
	QUALITY_BRANCHES,          /* samples with branch records that are not a call stack */
	QUALITY_FILTERED,          /* excluded by the user's filters (--pid, ...) */
	QUALITY_CONDITION_UNKNOWN, /* of these: not known whether the conditions hold (--where) */
	QUALITY_SPLIT_UNKNOWN,     /* below a row for a value that is not known (--split) */
	QUALITY_SPLIT_OPEN,        /* not split: the rest of the path may have the function */
	QUALITY_SPLIT_OTHERS,      /* below the row for values that are not told apart */
	/* By memory that was read a moment after the sample (record --follow): */
	QUALITY_CONDITION_LATER,   /* left out or not (--where) */
	QUALITY_SPLIT_LATER,       /* below a row that says so (--split) */
	QUALITY_LOST_SIDEBAND,     /* sideband records not delivered */
	QUALITY_NOT_ATTRIBUTED,    /* samples whose event id the file does not name */
	QUALITY_LATE_RECORDS,      /* came after later records had been used */
	QUALITY_UNKNOWN_PROCESSES, /* samples of a process no record announced */
	QUALITY_UNKNOWN_RECORDS,   /* of a type this version does not know, skipped */
	QUALITY_BROKEN_RECORDS, /* malformed: inner lengths contradict the record's size; skipped */
	/* Stacks deeper than their copies whose rest was not read, by enum unread_rest. */
	QUALITY_UNREAD_RESTS,
	N_QUALITY_COUNTERS = QUALITY_UNREAD_RESTS + N_UNREAD_RESTS
};

/* Which object of a report's "quality" holds a counter in JSON. */
enum quality_section {
	QUALITY_TOP,      /* "quality" itself */
	QUALITY_UNWIND,   /* "unwind", with ->incomplete */
	QUALITY_OFF_CPU,  /* "off_cpu" */
	QUALITY_JITDUMPS, /* "jitdumps" */
	QUALITY_HIDDEN,   /* none */
	QUALITY_RESTS,    /* none; in the sentence of quality_print_rests() */
};

struct quality_description {
	enum quality_section section;
	const char *name; /* in JSON and in stored profiles; never changed */
	/* For people, after a number, by counted_text(): of paths in QUALITY_UNWIND, else a
	 * warning. NULL: not shown, or in a sentence with other counters. */
	const char *text;
};

struct profile_quality {
	uint64_t counts[N_QUALITY_COUNTERS];
	uint64_t incomplete[N_MARKERS]; /* samples, by the reason that ends the path */
};

const struct quality_description *quality_describe(enum quality_counter counter);

/* The counters with warnings in the order in which a report shows them, which is not that of JSON;
 * each once. */
#define N_QUALITY_WARNINGS 29
extern const enum quality_counter quality_warnings[N_QUALITY_WARNINGS];

/* The counter of samples whose path has such a mark. */
enum quality_counter quality_of_mark(enum path_mark mark);

/* "12 found no free debug register, 3 had gone with their thread" after @label; nothing if all are
 * 0. @rests: by enum unread_rest. */
void quality_print_rests(FILE *out, const char *label, const uint64_t rests[N_UNREAD_RESTS]);

/* Samples that a report is made of. */
uint64_t quality_n_used(const struct profile_quality *quality);
void quality_merge(struct profile_quality *into, const struct profile_quality *from);

#endif
