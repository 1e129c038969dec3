/*
 * A part of the BPF program that the kernel runs before it writes a sample: reads memory of the
 * sampled process that the sample's registers lead to, as rules say, and writes it as a record of
 * PERF_COUNT_SW_BPF_OUTPUT with struct follow_bytes as raw data.
 *
 * A rule is for one instruction of one process, or for one and the calls that have led there, so
 * the registers, and the words of the stack, that lead to a variable are known. The rules lie in a
 * map that whoever finds them fills while the program runs. They are not trusted: they have no
 * loops, and a wrong one reads memory of the process that nobody asks for.
 *
 * linux/bpf_perf_event.h: the program's argument begins with the registers, struct pt_regs on
 * x86-64 and struct user_pt_regs on arm64. Of a sample in the kernel, the user's are where the
 * thread has entered it; the sample has the same.
 */
#ifndef PERF_COUNTERS_FOLLOW_PROGRAM_H
#define PERF_COUNTERS_FOLLOW_PROGRAM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/kernel/bpf.h"

#define FOLLOW_STEPS_MAX 8
#define FOLLOW_PART_MAX  64u /* bytes that a step reads */
/* In struct follow_bytes, where struct second_stack_bytes has 0 or 1. */
#define FOLLOW_KIND 2

/* Rules from the sampled instruction to its outermost caller that are looked for. */
#define FOLLOW_DEPTH_MAX 32

struct follow_key {
	uint64_t pid;   /* in the first pid namespace */
	uint64_t place; /* the instruction in user mode; with callers: follow_place_called() */
};

/* An instruction and the callers that it was reached from so far, and one caller more: the word
 * that the call has left. Different ones may be the same by chance. */
#define FOLLOW_PLACE_FACTOR 16777619
static inline uint64_t follow_place_called(uint64_t place, uint64_t return_address)
{
	return place * FOLLOW_PLACE_FACTOR + return_address;
}

/* What an address is computed from: a register by its DWARF number, nothing, or the word that the
 * step with that index has read. */
enum { FOLLOW_NOTHING = 32, FOLLOW_WORDS };

struct follow_step {
	uint64_t base;
	uint64_t offset; /* added, modulo 2^64 */
	uint64_t size;   /* at most FOLLOW_PART_MAX; the words of smaller ones lead nowhere */
};

/* Of the rules that are found one after the other, each for one caller more, the last with steps is
 * followed. */
struct follow_rule {
	uint64_t n_steps;
	/* From the sample's stack pointer to the return address into the next caller, and the place
	 * that counts as called from there: what instructions have in common whose frames are
	 * alike, or the key's own. */
	uint64_t caller_at, place;
	struct follow_step steps[FOLLOW_STEPS_MAX];
};

#define FOLLOW_NO_CALLER UINT64_MAX

struct follow_bytes {
	uint64_t sample_sp; /* of the sample that follows */
	uint64_t ip;
	uint64_t was_read; /* a bit for each step */
	uint64_t kind;     /* FOLLOW_KIND */
	uint64_t n_parts;
	struct {
		uint64_t addr, size;
	} parts[FOLLOW_STEPS_MAX];
	uint8_t bytes[FOLLOW_STEPS_MAX][FOLLOW_PART_MAX];
};
static_assert(sizeof(struct follow_bytes) == 40 + FOLLOW_STEPS_MAX * (16 + FOLLOW_PART_MAX),
	      "the program computes addresses in it");

/* A map of rules by keys, of which the ones used least recently make room; and a rule in it. A file
 * descriptor or -errno, 0 or -errno. */
int follow_rules_create(void);
int follow_rules_set(int rules_map, const struct follow_key *key, const struct follow_rule *rule);

/* The size of this part's buffer. */
size_t follow_program_buffer_size(void);

/* What the part works with: file descriptors of maps. */
struct follow_maps {
	int rules;
	int events;  /* of PERF_COUNT_SW_BPF_OUTPUT, by CPU */
	int buffers; /* an array of such by CPU */
	/* Of samples in the kernel, too: it must have bpf_task_pt_regs() (Linux 5.15) and its own
	 * BTF. */
	bool reads_in_kernel;
};

/*
 * Adds the part as a function with the label @function: R1: the program's argument. Takes the
 * labels from @first_label on, FOLLOW_PROGRAM_LABELS of them. @machine: EM_X86_64 or EM_AARCH64.
 */
#define FOLLOW_PROGRAM_LABELS 10
void follow_program_add(struct bpf_code *code, uint16_t machine, size_t function,
			size_t first_label, const struct follow_maps *maps);

#endif
