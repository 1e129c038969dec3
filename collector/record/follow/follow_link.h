/*
 * Between the recorder and the process that reads for it what --follow asks for: the requests and
 * answers on their socket, one message each (SOCK_SEQPACKET).
 */
#ifndef COLLECTOR_RECORD_FOLLOW_FOLLOW_LINK_H
#define COLLECTOR_RECORD_FOLLOW_FOLLOW_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/records/memory_record.h"
#include "report/values/value_condition.h"

#define FOLLOW_MAX 16 /* of --follow: a bit each in the answers */

/* What the user asked for; the expressions refer to themselves, so it must stay where it is. */
struct follow_subjects {
	struct value_subject *subjects; /* heap */
	size_t n;
};

struct follow_link {
	pid_t pid;
	int fd;           /* the recorder's end; the process ends when it is closed */
	uint64_t n_asked; /* requests so far, of all parts of the recording: numbers the next one */
	const struct follow_subjects *subjects; /* borrowed */
	/* By which the kernel reads at samples (perf/counters/follow_program.h), which the other
	 * process fills; -errno: not permitted. */
	int rules_map;
};

#define FOLLOW_REGS_MAX  64
#define FOLLOW_STACK_MAX UINT16_MAX
/* A sample that has waited longer than this for its turn is not looked at. */
#define FOLLOW_DELAY_MAX_NS 100000000ull

/* A sample; its registers follow, then the memory record of what was read at it, then its copy of
 * the stack. */
struct follow_request {
	uint64_t number;
	uint64_t time_ns;
	uint64_t abi, mask; /* of the registers */
	int32_t pid, tid;
	uint32_t stack_size, memory_size; /* memory_size: 0: no record */
	bool is_full;                     /* the stack may go on beyond the copy */
	bool has_changed;                 /* the process has new mappings since its last request */
};

/* What became of it; the memory record follows if size is not 0. */
struct follow_answer {
	uint64_t number;
	uint32_t size;
	/* A bit for each subject: */
	uint16_t found;   /* its function is on the path */
	uint16_t wrong;   /* but has no such variable, or what is asked does not fit its type */
	uint16_t without; /* but has no debug information */
	uint16_t reserved;
};

/* Aligned as records are. */
struct follow_answer_message {
	struct follow_answer answer;
	uint64_t record[MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
};

#endif
