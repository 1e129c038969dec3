#include "collector/record/follow/follow_evaluation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cct/base/clock.h"
#include "collector/paths/sample_path.h"
#include "collector/record/follow/sample_steps.h"
#include "collector/record/live/live_process.h"
#include "collector/values/value_function.h"
#include "collector/values/value_stack.h"

/* Strings are asked for byte by byte. */
#define READ_AHEAD VALUE_STRING_MAX
#define PAGE_MIN   4096u
#define N_TRIED    16384u

/* What was read for the present sample. */
struct reading {
	pid_t pid;
	struct memory_record record;
	struct memory_part parts[MEMORY_PARTS_MAX];
	uint8_t bytes[MEMORY_BYTES_MAX];
	bool was_later; /* some of it now, and not at the sample */
};

struct follow_evaluation {
	const struct follow_subjects *subjects;
	struct profile *profile; /* for the modules */
	struct live_processes *processes;
	const struct machine *machine;
	struct symbolizer *symbolizer;
	struct value_stack *stack;
	struct value_function functions[FOLLOW_MAX];
	struct reading reading;
	int rules_map;                    /* less than 0: none */
	struct follow_key tried[N_TRIED]; /* of which rules were looked for, by their hash */
};

static bool init_functions(struct follow_evaluation *evaluation)
{
	const struct follow_subjects *subjects = evaluation->subjects;

	for (size_t i = 0; i < subjects->n; i++)
		if (value_function_init(&evaluation->functions[i], subjects->subjects[i].function))
			return false;
	return true;
}

static bool init(struct follow_evaluation *evaluation)
{
	const struct symbolizer_options names = { .names = NAMES_WITHOUT_PARAMETERS };
	struct utsname name;

	evaluation->machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	evaluation->profile = profile_create();
	if (!evaluation->profile)
		return false;
	evaluation->processes = live_processes_create(&evaluation->profile->modules);
	evaluation->symbolizer = symbolizer_create(evaluation->profile, &names);
	evaluation->stack = value_stack_create(&evaluation->profile->modules);
	return evaluation->processes && evaluation->symbolizer && evaluation->stack &&
	       init_functions(evaluation);
}

struct follow_evaluation *follow_evaluation_create(const struct follow_subjects *subjects,
						   int rules_map)
{
	struct follow_evaluation *evaluation = calloc(1, sizeof(*evaluation));

	if (!evaluation)
		return NULL;
	evaluation->subjects = subjects;
	evaluation->rules_map = rules_map;
	if (init(evaluation))
		return evaluation;
	follow_evaluation_destroy(evaluation);
	return NULL;
}

void follow_evaluation_destroy(struct follow_evaluation *evaluation)
{
	if (!evaluation)
		return;
	for (size_t i = 0; i < evaluation->subjects->n; i++)
		value_function_deinit(&evaluation->functions[i]);
	value_stack_destroy(evaluation->stack);
	symbolizer_destroy(evaluation->symbolizer);
	live_processes_destroy(evaluation->processes);
	profile_destroy(evaluation->profile);
	free(evaluation);
}

static enum memory_outcome outcome_of(int err)
{
	switch (err) {
	case -ESRCH:
		return MEMORY_GONE;
	case -EPERM:
	case -EACCES:
		return MEMORY_FORBIDDEN;
	default:
		return MEMORY_UNMAPPED;
	}
}

/* The last part goes on if the bytes follow it. */
static void add_part(struct reading *reading, uint64_t addr, size_t size)
{
	struct memory_record *record = &reading->record;
	struct memory_part *last =
		record->header.n_parts ? &reading->parts[record->header.n_parts - 1] : NULL;

	record->n_bytes += size;
	reading->was_later = true;
	if (last && !last->is_at_sample && last->addr + last->size == addr) {
		last->size += (uint32_t)size;
		return;
	}
	reading->parts[record->header.n_parts++] =
		(struct memory_part){ .addr = addr, .size = (uint32_t)size };
}

static bool read_process(struct reading *reading, uint64_t addr, size_t size)
{
	struct memory_record *record = &reading->record;
	const size_t left = MEMORY_BYTES_MAX - record->n_bytes;
	const size_t in_page = PAGE_MIN - addr % PAGE_MIN;
	size_t wanted = size == 1 ? READ_AHEAD : size;

	if (wanted > size && wanted > in_page)
		wanted = in_page;
	if (wanted > left)
		wanted = left;
	if (wanted < size || record->header.n_parts == MEMORY_PARTS_MAX) {
		record->header.outcome = MEMORY_TOO_MUCH;
		return false;
	}
	int err = live_memory_read(reading->pid, addr, reading->bytes + record->n_bytes, wanted);
	if (err) {
		record->header.outcome = outcome_of(err);
		return false;
	}
	add_part(reading, addr, wanted);
	return true;
}

/* What was read once stays as it was, for it is what readers of the recording will find. */
static bool read_later(void *data, uint64_t addr, size_t size, uint8_t *bytes,
		       bool *is_at_sample_ret)
{
	struct reading *reading = data;
	const uint8_t *found = memory_record_find(&reading->record, addr, size, is_at_sample_ret);

	if (!found && read_process(reading, addr, size))
		found = memory_record_find(&reading->record, addr, size, is_at_sample_ret);
	if (found)
		memcpy(bytes, found, size);
	return found;
}

/* What was read at the sample is there already. */
static void take_memory(struct reading *reading, const struct perf_event_header *memory)
{
	struct memory_record record;

	if (!memory || !memory_record_decode(memory, &record))
		return;
	memcpy(reading->parts, record.parts, record.header.n_parts * sizeof(reading->parts[0]));
	memcpy(reading->bytes, record.bytes, record.n_bytes);
	reading->record.header.n_parts = record.header.n_parts;
	reading->record.n_bytes = record.n_bytes;
}

static void begin_reading(struct reading *reading, const struct follow_request *request)
{
	reading->was_later = false;
	reading->pid = request->pid;
	reading->record = (struct memory_record){
		.header = { .pid = request->pid, .tid = request->tid, .time_ns = request->time_ns },
		.parts = reading->parts,
		.bytes = reading->bytes,
	};
}

/* In the present walk. */
static void evaluate(struct follow_evaluation *evaluation, size_t subject,
		     struct follow_answer *answer)
{
	struct value_depth depth;
	struct value_text text;
	Dwarf_Die type;
	size_t at;
	int found = value_function_find(&evaluation->functions[subject], evaluation->symbolizer,
					evaluation->stack, &at, &depth);

	if (found <= 0)
		return;
	enum debug_reason reason =
		value_stack_evaluate(evaluation->stack, at, depth.n_outer - 1u,
				     &evaluation->subjects->subjects[subject].expression,
				     evaluation->symbolizer, &text, &type);
	answer->found |= (uint16_t)(1u << subject);
	if (reason == DEBUG_NO_SUCH_PART)
		answer->wrong |= (uint16_t)(1u << subject);
	if (reason == DEBUG_NO_INFORMATION)
		answer->without |= (uint16_t)(1u << subject);
}

/* Whether a rule was not looked for yet. */
static bool is_new(struct follow_evaluation *evaluation, const struct follow_key *key)
{
	struct follow_key *tried =
		&evaluation->tried[(key->place * 0x9e3779b97f4a7c15 >> 40 ^ key->pid) % N_TRIED];
	const bool is_known = tried->pid == key->pid && tried->place == key->place;

	*tried = *key;
	return !is_known;
}

/* The frame in which a subject is evaluated, and its variable. false: there is none. */
static bool find_variable(struct follow_evaluation *evaluation, size_t subject, size_t *at_ret,
			  Dwarf_Die *variable_ret)
{
	const struct value_expression *expression =
		&evaluation->subjects->subjects[subject].expression;
	struct value_depth depth;
	int found = value_function_find(&evaluation->functions[subject], evaluation->symbolizer,
					evaluation->stack, at_ret, &depth);

	return found > 0 && !value_stack_variable(evaluation->stack, *at_ret, depth.n_outer - 1u,
						  expression, variable_ret);
}

static void describe_frame(struct follow_evaluation *evaluation, const struct user_stack *stack,
			   size_t at, struct steps_frame *frame_ret)
{
	*frame_ret = (struct steps_frame){
		.debug = value_stack_debug_frame(evaluation->stack, at),
		.sp = stack->arch->sp,
		.sampled_sp = stack->regs.values[stack->arch->sp],
	};
	for (unsigned reg = 0; reg < FOLLOW_NOTHING; reg++)
		frame_ret->registers[reg].where = value_stack_find_saved(
			evaluation->stack, at, reg, &frame_ret->registers[reg].addr);
}

/* Adds what all subjects need whose frame is one of the first @n_frames. */
static void add_steps(struct follow_evaluation *evaluation, const struct user_stack *stack,
		      size_t n_frames, struct follow_rule *rule)
{
	struct steps_frame frame;
	Dwarf_Die variable;
	size_t at;

	for (size_t i = 0; i < evaluation->subjects->n; i++) {
		if (!find_variable(evaluation, i, &at, &variable) || at >= n_frames)
			continue;
		describe_frame(evaluation, stack, at, &frame);
		sample_steps_add(rule, &frame, &evaluation->subjects->subjects[i].expression,
				 &variable);
	}
}

/* From the sampled stack pointer to the return address to frame @i, and the word there. */
static bool find_return(const struct follow_evaluation *evaluation, const struct user_stack *stack,
			size_t i, uint64_t *at_ret, uint64_t *word_ret)
{
	uint64_t addr;

	if (i >= value_stack_n(evaluation->stack) ||
	    value_stack_find_saved(evaluation->stack, i, stack->arch->ra, &addr) != SAVED_IN_MEMORY)
		return false;
	const uint64_t at = addr - stack->regs.values[stack->arch->sp];
	if (at > stack->size || stack->size - at < sizeof(*word_ret))
		return false;
	memcpy(word_ret, stack->bytes + at, sizeof(*word_ret));
	*at_ret = at;
	return true;
}

/* The frames up to the outermost one of a subject, as far as rules can tell the calls to it. */
static size_t n_frames_of_rules(struct follow_evaluation *evaluation)
{
	size_t n_frames = 0, at;
	Dwarf_Die variable;

	for (size_t i = 0; i < evaluation->subjects->n; i++)
		if (find_variable(evaluation, i, &at, &variable) && at < FOLLOW_DEPTH_MAX &&
		    at >= n_frames)
			n_frames = at + 1;
	return n_frames;
}

/* No instruction has such an address. */
#define SHAPE_BIT (1ull << 63)

/*
 * What a rule for callers depends on, of the sampled frame: how it leads to its caller, but for
 * what is evaluated in it.
 */
static uint64_t place_of_leaf(struct follow_evaluation *evaluation, const struct user_stack *stack)
{
	Dwarf_Die variable;
	uint64_t shape;
	size_t at;

	for (size_t i = 0; i < evaluation->subjects->n; i++)
		if (find_variable(evaluation, i, &at, &variable) && !at)
			return stack->regs.pc;
	return value_stack_shape(evaluation->stack, 0, &shape) ? shape | SHAPE_BIT : stack->regs.pc;
}

/* So that the kernel reads it at the next sample that is reached by the same calls. */
static void make_rules(struct follow_evaluation *evaluation, const struct follow_request *request,
		       const struct user_stack *stack)
{
	const size_t n_frames = n_frames_of_rules(evaluation);
	const uint64_t pid = (uint64_t)request->pid, leaf = place_of_leaf(evaluation, stack);
	uint64_t places[FOLLOW_DEPTH_MAX + 1] = { leaf }, callers_at[FOLLOW_DEPTH_MAX], word;
	size_t n = 0;

	for (; n < n_frames; n++) {
		callers_at[n] = FOLLOW_NO_CALLER;
		if (!find_return(evaluation, stack, n + 1, &callers_at[n], &word)) {
			n++;
			break;
		}
		places[n + 1] = follow_place_called(places[n], word);
	}
	if (!n ||
	    !is_new(evaluation, &(struct follow_key){
					pid, follow_place_called(places[n - 1], stack->regs.pc) }))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct follow_key key = { pid, i ? places[i] : stack->regs.pc };
		struct follow_rule rule = { .caller_at = callers_at[i], .place = places[i] };

		add_steps(evaluation, stack, i + 1, &rule);
		follow_rules_set(evaluation->rules_map, &key, &rule);
	}
}

/* false: the registers are not those of a program that is unwound. */
static bool make_stack(const struct follow_evaluation *evaluation,
		       const struct follow_request *request, const uint64_t *regs,
		       const uint8_t *bytes, struct user_stack *stack_ret)
{
	*stack_ret = (struct user_stack){ .arch = machine_arch(evaluation->machine, request->abi),
					  .bytes = bytes,
					  .size = request->stack_size,
					  .is_full = request->is_full };
	return stack_ret->arch &&
	       regs_from_perf(stack_ret->arch, request->mask, regs, &stack_ret->regs);
}

static void look_at(struct follow_evaluation *evaluation, const struct follow_request *request,
		    const struct user_stack *stack, struct follow_answer *answer)
{
	struct reading *reading = &evaluation->reading;

	if (request->has_changed) {
		live_process_forget(evaluation->processes, request->pid);
		memset(evaluation->tried, 0, sizeof(evaluation->tried));
	}
	const struct address_space *space = live_process_space(evaluation->processes, request->pid);
	if (!space) {
		reading->record.header.outcome = MEMORY_GONE;
		return;
	}
	value_stack_walk(evaluation->stack, space, stack);
	value_stack_use_process(evaluation->stack, read_later, reading);
	for (size_t i = 0; i < evaluation->subjects->n; i++)
		evaluate(evaluation, i, answer);
	if (evaluation->rules_map >= 0 && reading->was_later &&
	    request->abi == PERF_SAMPLE_REGS_ABI_64)
		make_rules(evaluation, request, stack);
}

void follow_evaluation_answer(struct follow_evaluation *evaluation,
			      const struct follow_request *request, const uint64_t *regs,
			      const struct perf_event_header *memory, const uint8_t *stack,
			      struct follow_answer_message *answer_ret)
{
	struct memory_record_header *header = &evaluation->reading.record.header;
	struct follow_answer *answer = &answer_ret->answer;
	struct perf_event_header *record = (struct perf_event_header *)answer_ret->record;
	struct user_stack user_stack;

	*answer = (struct follow_answer){ .number = request->number };
	begin_reading(&evaluation->reading, request);
	take_memory(&evaluation->reading, memory);
	if (now_ns() - request->time_ns > FOLLOW_DELAY_MAX_NS)
		header->outcome = MEMORY_TOO_LATE;
	else if (make_stack(evaluation, request, regs, stack, &user_stack))
		look_at(evaluation, request, &user_stack, answer);
	if (!header->n_parts && header->outcome == MEMORY_READ)
		return;
	if (evaluation->reading.was_later || header->outcome != MEMORY_READ)
		header->delay_ns = now_ns() - request->time_ns;
	memory_record_encode(&evaluation->reading.record, record);
	answer->size = record->size;
}
