/* One sample's life on one page: user half, kernel half, merge. */
#include "collector/paths/sample_path.h"

#include <stdlib.h>

#include "kernel-merge/callchain.h"
#include "kernel-merge/merge.h"

/* The kernel copies no more than fits a record, whose size has 16 bits. */
#define STACK_COPY_MAX 65200

struct sample_path {
	struct unwinder *unwinder;
	const struct kernel_symbols *kernel_symbols;
	const struct wait_reasons *wait_reasons; /* or NULL */
	struct frame user[SAMPLE_PATH_MAX_USER];
	uint64_t user_addrs[SAMPLE_PATH_MAX_USER];
	uint64_t user_sps[SAMPLE_PATH_MAX_USER];
	struct frame kernel[SAMPLE_PATH_MAX_KERNEL];
	uint64_t kernel_addrs[SAMPLE_PATH_MAX_KERNEL];
	struct frame path[SAMPLE_PATH_MAX];
};

bool sample_user_pc(const struct record *record, const struct machine *machine, uint64_t *pc_ret)
{
	const struct sample_regs *from = &record->sample.user_regs;
	const struct arch *arch =
		record->sample.has_user_regs ? machine_arch(machine, from->abi) : NULL;
	struct regs regs;

	if (!arch || !regs_from_perf(arch, from->mask, from->values, &regs))
		return false;
	*pc_ret = regs.pc;
	return true;
}

bool sample_stack_is_full(const struct sample_record *sample, uint32_t asked)
{
	return sample->user_stack_size >= asked || sample->user_stack_size >= STACK_COPY_MAX;
}

struct sample_path *sample_path_create(struct elf_modules *elf_modules,
				       const struct kernel_symbols *kernel_symbols)
{
	struct sample_path *sample_path = malloc(sizeof(*sample_path));

	if (!sample_path)
		return NULL;
	sample_path->unwinder = unwinder_create(elf_modules);
	sample_path->kernel_symbols = kernel_symbols;
	sample_path->wait_reasons = NULL;
	if (!sample_path->unwinder) {
		free(sample_path);
		return NULL;
	}
	return sample_path;
}

void sample_path_destroy(struct sample_path *sample_path)
{
	if (!sample_path)
		return;
	unwinder_destroy(sample_path->unwinder);
	free(sample_path);
}

void sample_path_set_wait_reasons(struct sample_path *sample_path,
				  const struct wait_reasons *reasons)
{
	sample_path->wait_reasons = reasons;
}

/* The frame of an address that is not unwound: by its mapping alone. */
static struct frame user_frame(const struct address_space *space, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(space, addr);

	if (!mapping || !mapping->module)
		return (struct frame){ .kind = FRAME_USER, .offset = addr };
	return (struct frame){ .kind = FRAME_USER,
			       .module = mapping->module,
			       .offset = addr - mapping->start + mapping->offset };
}

struct frame sample_frame(const struct sample *sample, const struct kernel_symbols *kernel_symbols,
			  uint64_t addr)
{
	return addr >> 63 ? kernel_symbols_frame(kernel_symbols, sample->kernel, addr)
			  : user_frame(sample->space, addr);
}

static void end_early(struct call_path *path, enum marker end)
{
	path->user_half = USER_INCOMPLETE;
	path->end = end;
}

/* The user half as the kernel walked it. Callers are return addresses: their frames are at the
 * addresses before. */
static void take_user_callchain(struct sample_path *sample_path, const struct sample *sample,
				const struct callchain *chain, struct call_path *path)
{
	for (size_t i = 0; i < chain->n_user && i < SAMPLE_PATH_MAX_USER; i++) {
		uint64_t addr = chain->user[i];

		sample_path->user_addrs[i] = addr;
		sample_path->user[i] = user_frame(sample->space, addr - (i > 0 && addr));
		path->n_user++;
	}
	path->user_half = USER_UNVERIFIED;
}

static bool has_branch_stack(const struct sample *sample)
{
	uint64_t wanted = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;

	return sample->event->layout.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       (sample->event->layout.branch_sample_type & wanted) == wanted;
}

/*
 * The user half as the processor recorded its calls: the callchain's first address, or else where
 * the last call went to, then the calls, the last one first. What the callchain has beyond its
 * first address follows frame pointers, which such programs need not have.
 */
static void take_branch_stack(struct sample_path *sample_path, const struct sample *sample,
			      const struct callchain *chain, struct call_path *path)
{
	const struct sample_record *record = &sample->record.sample;

	for (size_t i = 0; i <= record->n_branches && i < SAMPLE_PATH_MAX_USER; i++) {
		uint64_t addr = i               ? record->branches[i - 1].from
				: chain->n_user ? chain->user[0]
						: record->branches[0].to;

		if (i && !addr)
			break;
		sample_path->user_addrs[i] = addr;
		sample_path->user[i] = user_frame(sample->space, addr);
		path->n_user++;
	}
	path->user_half = USER_BRANCHES;
}

static void take_leaf(struct sample_path *sample_path, const struct sample *sample, uint64_t addr,
		      enum marker end, struct call_path *path)
{
	sample_path->user_addrs[0] = addr;
	sample_path->user[0] = user_frame(sample->space, addr);
	path->n_user = 1;
	end_early(path, end);
}

/*
 * The kernel's copy ends at the first page that is not in memory. Where its mapping ends is such a
 * page, too, but the stack does not go on there.
 */
static uint64_t cut_mapping_end(const struct sample *sample, const struct user_stack *stack)
{
	uint64_t end = stack->regs.values[stack->arch->sp] + stack->size;

	if (stack->is_full || !stack->size || end % SAMPLE_STACK_PAGE)
		return 0;
	const struct mapping *mapping = address_space_find(sample->space, end - 1);
	return mapping && mapping->end > end ? mapping->end : 0;
}

bool sample_user_stack(const struct sample *sample, struct user_stack *stack_ret)
{
	const struct sample_record *record = &sample->record.sample;

	*stack_ret = (struct user_stack){
		.arch = machine_arch(sample->machine, record->user_regs.abi),
		.bytes = record->user_stack,
		.size = record->user_stack_size,
		.is_full = sample_stack_is_full(record, sample->event->attr.sample_stack_user),
		.memory = sample->memory,
		.code = code_moment_source(&sample->code),
		.runtime = sample->runtime,
	};
	if (!stack_ret->arch || !regs_from_perf(stack_ret->arch, record->user_regs.mask,
						record->user_regs.values, &stack_ret->regs))
		return false;
	stack_ret->mapping_end = cut_mapping_end(sample, stack_ret);
	return true;
}

static void unwind_user_half(struct sample_path *sample_path, const struct sample *sample,
			     struct call_path *path)
{
	bool is_kernel = sample->record.cpu_mode == PERF_RECORD_MISC_KERNEL;
	struct user_stack stack;
	struct unwind_result result;

	if (!sample_user_stack(sample, &stack)) {
		if (is_kernel)
			end_early(path, MARKER_UNKNOWN_ARCH);
		else
			take_leaf(sample_path, sample, sample->record.sample.ip,
				  MARKER_UNKNOWN_ARCH, path);
		return;
	}
	/* While exec runs, the registers are still those of the image it replaces. */
	bool is_in_exec = sample->is_in_exec || (is_kernel && sample->has_exec &&
						 !address_space_find(sample->space, stack.regs.pc));
	if (!stack.size && is_in_exec) {
		take_leaf(sample_path, sample, stack.regs.pc, MARKER_EXEC, path);
		return;
	}
	if (sample->record.misc & RECORD_MISC_STACK_LEFT_OUT) {
		take_leaf(sample_path, sample, stack.regs.pc, MARKER_NOT_IN_TIME, path);
		return;
	}
	stack.sps = sample_path->user_sps;
	stack.thread = sample->thread;
	path->n_user =
		unwind_user_stack(sample_path->unwinder, sample->space, &stack, sample_path->user,
				  sample_path->user_addrs, SAMPLE_PATH_MAX_USER, &result);
	path->user_half = USER_COMPLETE;
	path->user_sps = sample_path->user_sps;
	path->n_marked[PATH_GUESSED] = result.n_guessed;
	path->n_marked[PATH_STITCHED] = result.n_stitched;
	if (result.end == UNWIND_ROOT)
		return;
	end_early(path, is_in_exec ? MARKER_EXEC : unwind_end_marker(result.end));
}

/* A sample in the kernel whose task has no user registers: a kernel thread, or one whose memory
 * exit has already taken. */
static void take_no_user_half(const struct sample *sample, struct call_path *path)
{
	if (sample->has_memory && sample->record.pid)
		end_early(path, MARKER_EXITING);
	else
		path->user_half = USER_NONE;
}

static void take_user_half(struct sample_path *sample_path, const struct sample *sample,
			   const struct callchain *chain, struct call_path *path)
{
	const struct record *record = &sample->record;

	if (record->sample.has_user_regs &&
	    sample->event->layout.sample_type & PERF_SAMPLE_STACK_USER)
		unwind_user_half(sample_path, sample, path);
	else if (has_branch_stack(sample) && record->sample.n_branches)
		take_branch_stack(sample_path, sample, chain, path);
	else if (chain->n_user)
		take_user_callchain(sample_path, sample, chain, path);
	else if (record->cpu_mode == PERF_RECORD_MISC_USER)
		take_leaf(sample_path, sample, record->sample.ip, MARKER_NO_STACK, path);
	else if (sample->event->layout.sample_type & PERF_SAMPLE_REGS_USER || !sample->has_memory)
		take_no_user_half(sample, path);
	else
		end_early(path, MARKER_NO_STACK);
}

static bool records_callers(const struct sample *sample)
{
	return sample->event->layout.sample_type &
		       (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER) ||
	       has_branch_stack(sample);
}

/* The sampled instruction is all there is. */
static void take_flat(struct sample_path *sample_path, const struct sample *sample,
		      struct call_path *path)
{
	if (sample->record.cpu_mode == PERF_RECORD_MISC_USER)
		take_leaf(sample_path, sample, sample->record.sample.ip, MARKER_NO_STACK, path);
	path->user_half = USER_FLAT;
}

static void take_kernel_half(struct sample_path *sample_path, const struct sample *sample,
			     const struct callchain *chain, struct call_path *path)
{
	const uint64_t *ips = chain->kernel;
	size_t n_ips = chain->n_kernel;

	if (!n_ips && sample->record.cpu_mode == PERF_RECORD_MISC_KERNEL) {
		ips = &sample->record.sample.ip;
		n_ips = 1;
		if (path->user_half != USER_INCOMPLETE && path->user_half != USER_FLAT)
			end_early(path, MARKER_NO_CALLCHAIN);
	}
	for (size_t i = 0; i < n_ips && i < SAMPLE_PATH_MAX_KERNEL; i++) {
		bool is_return_address =
			i > 0 && !kernel_symbols_is_interrupted(sample_path->kernel_symbols,
								ips[i - 1], ips[i]);

		sample_path->kernel_addrs[i] = ips[i];
		sample_path->kernel[i] = kernel_symbols_frame(
			sample_path->kernel_symbols, sample->kernel, ips[i] - is_return_address);
		path->n_kernel++;
	}
}

static enum marker find_off_marker(const struct sample_path *sample_path,
				   const struct sample *sample, size_t n_kernel)
{
	if (sample->cpu_state == OFF_PREEMPTED)
		return MARKER_PREEMPTED;
	if (!sample_path->wait_reasons)
		return MARKER_BLOCKED;
	return wait_reasons_of(sample_path->wait_reasons, sample_path->kernel, n_kernel);
}

/* The first argument of the system call, which futex() has the lock in. 0: not known. */
static uint64_t find_lock(const struct sample *sample)
{
	const struct sample_regs *from = &sample->record.sample.user_regs;
	const struct arch *arch = sample->record.sample.has_user_regs
					  ? machine_arch(sample->machine, from->abi)
					  : NULL;
	struct regs regs;

	if (!arch || !arch->n_argument_regs ||
	    !regs_from_perf(arch, from->mask, from->values, &regs) ||
	    !(regs.valid & UINT64_C(1) << arch->argument_regs[0]))
		return 0;
	return regs.values[arch->argument_regs[0]];
}

/* Of time without a sample, @n_kernel is 0. */
static struct off_reason find_off_reason(const struct sample_path *sample_path,
					 const struct sample *sample, size_t n_kernel)
{
	struct off_reason off = { .marker = -1 };

	if (sample->cpu_state == ON_CPU)
		return off;
	off.marker = (int)find_off_marker(sample_path, sample, n_kernel);
	off.is_all_time = sample->is_off_all_time;
	off.has_waker = sample->has_waker;
	off.waker = sample->waker;
	/* Every wait has a lock; which, matters where it does not end. */
	if (off.marker == MARKER_WAIT_LOCK && sample->is_off_at_end)
		off.lock = find_lock(sample);
	return off;
}

/* Time off the CPU without a sample. */
static void resolve_missing(struct sample_path *sample_path, struct sample *sample)
{
	struct off_reason off = find_off_reason(sample_path, sample, 0);
	struct path_halves halves = { .end_marker = (int)sample->end, .off = off };

	sample->path = (struct call_path){ .frames = sample_path->path, .off = off };
	end_early(&sample->path, sample->end);
	sample->path.n_frames = merge_call_path(&halves, sample_path->path);
}

static void merge_halves(struct sample_path *sample_path, struct sample *sample)
{
	struct call_path *path = &sample->path;
	struct path_halves halves = {
		.user = sample_path->user,
		.n_user = path->n_user,
		.kernel = sample_path->kernel,
		.n_kernel = path->n_kernel,
		.end_marker = path->user_half == USER_INCOMPLETE ? (int)path->end : -1,
		.off = path->off,
		.value = sample->value,
	};

	path->n_frames = merge_call_path(&halves, sample_path->path);
}

void sample_path_resolve(struct sample_path *sample_path, struct sample *sample)
{
	const struct sample_record *record = &sample->record.sample;
	struct call_path *path = &sample->path;
	struct callchain chain;

	if (!sample->raw.header) {
		resolve_missing(sample_path, sample);
		return;
	}
	callchain_split(record->callchain, record->n_callchain, sample->record.cpu_mode, &chain);
	*path = (struct call_path){ .user_frames = sample_path->user,
				    .kernel_frames = sample_path->kernel,
				    .user_addrs = sample_path->user_addrs,
				    .kernel_addrs = sample_path->kernel_addrs,
				    .frames = sample_path->path };
	if (records_callers(sample))
		take_user_half(sample_path, sample, &chain, path);
	else
		take_flat(sample_path, sample, path);
	take_kernel_half(sample_path, sample, &chain, path);
	path->off = find_off_reason(sample_path, sample, path->n_kernel);
	merge_halves(sample_path, sample);
}

bool sample_path_is_cut(const struct call_path *path)
{
	return path->user_half == USER_INCOMPLETE && path->end == MARKER_STACK_CUT;
}

void sample_path_join(struct sample_path *sample_path, struct sample *sample,
		      const struct placed_frame *outer, size_t n_outer)
{
	struct call_path *path = &sample->path;

	if (!n_outer || n_outer > SAMPLE_PATH_MAX_USER - path->n_user)
		return;
	for (size_t i = 0; i < n_outer; i++, path->n_user++) {
		sample_path->user[path->n_user] = outer[i].frame;
		sample_path->user[path->n_user].origin = FRAME_JOINED;
		sample_path->user_addrs[path->n_user] = outer[i].addr;
		sample_path->user_sps[path->n_user] = outer[i].sp;
	}
	path->n_marked[PATH_JOINED] = (uint32_t)n_outer;
	path->user_half = USER_JOINED;
	merge_halves(sample_path, sample);
}
