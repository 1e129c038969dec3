/* Per process a sorted array of what was read, and per round a list of what is to be looked at. */
#include "collector/record/observers/hotspot_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cct/base/array.h"
#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "cct/base/sorted.h"
#include "collector/record/live/hotspot_scopes.h"
#include "collector/record/live/live_process.h"
#include "unwind/rules/regs.h"

#define PROCESSES_MAX  64
#define KNOWN_MAX      (1u << 16)           /* pieces of code and methods of a process */
#define WANTED_MAX     2048                 /* in a round */
#define TRY_AGAIN_NS   (20 * NSEC_PER_MSEC) /* times the tries so far */
#define TRIES_MAX      16
#define READ_MAX       512 /* of those, unknown ones */
#define INLINED_MAX    128 /* and places of which it is not known what is inlined there */
#define QUESTIONS_BITS 12
#define MISS_NS        NSEC_PER_SEC /* until a missing item is searched for again */
#define METHOD_NS      NSEC_PER_SEC /* until a method is read again */
#define IMAGE_PAGES    16 /* by which code may be farther from an image's begin than in the file */
#define PAGE           4096u
#define WORD           8u
/* Words of an interpreter's frame, from its frame pointer. */
#define SENDER_SP (-1 * (int)WORD)
#define METHOD    (-3 * (int)WORD)

struct known_code {
	uint64_t start, end;
	uint64_t object, mark;
	uint64_t name_hash;
	uint64_t checked_ns; /* the last sample of the round in which it was */
	uint32_t kind;
	uint32_t wanted; /* the round in which it was wanted last */
	bool has_scopes;
};

/* Sorted, no overlaps. */
struct known_list {
	struct known_code *all;
	size_t n, n_allocated;
};

enum vm_state {
	VM_UNKNOWN, /* not found yet */
	VM_FOUND,   /* its tables are read */
	VM_STRANGE, /* a version that lacks something */
	VM_FORBIDDEN,
};

struct vm_process {
	int32_t pid; /* 0: the slot is free */
	enum vm_state state;
	uint64_t code, offset; /* libjvm's code, and its place in the file */
	uint64_t mapped_ns;
	unsigned n_failed;    /* looks at its tables that have lacked something */
	uint64_t next_try_ns; /* no look at them before */
	uint32_t looked;      /* the round in which the machine was looked at last */
	struct hotspot_vm vm;
	struct known_list known;
	struct known_list inlined; /* parts of that code of which it is known what is inlined */
};

struct wanted {
	struct vm_process *process;
	uint64_t addr;
	bool is_method;
};

/* An address that was wanted and not known. */
struct question {
	int32_t pid;
	uint32_t round;
	uint64_t addr;
	uint64_t missed_ns; /* when nothing was there; 0: not known */
};

struct live_memory {
	struct process_memory memory;
	pid_t pid;
};

struct hotspot_reader {
	struct data_writer *writer; /* borrowed */
	const struct machine *machine;
	uint32_t round;
	size_t n_processes;
	uint64_t n_records, n_strange, n_forbidden, n_left_out;
	struct vm_process processes[PROCESSES_MAX];
	size_t n_wanted;
	struct wanted wanted[WANTED_MAX];
	uint64_t first_ns, last_ns;                      /* of the samples of the round */
	struct question questions[1u << QUESTIONS_BITS]; /* direct-mapped */
};

static int read_live(const struct process_memory *memory, uint64_t addr, void *to, size_t size)
{
	/* It is the first member. */
	const struct live_memory *live = (const struct live_memory *)memory;

	return live_memory_read(live->pid, addr, to, size);
}

static struct live_memory memory_of(const struct vm_process *process)
{
	return (struct live_memory){ { read_live }, process->pid };
}

static struct vm_process *find_process(struct hotspot_reader *reader, int32_t pid)
{
	for (size_t i = 0; i < PROCESSES_MAX && reader->n_processes; i++)
		if (reader->processes[i].pid == pid)
			return &reader->processes[i];
	return NULL;
}

static void forget_wanted(struct hotspot_reader *reader, const struct vm_process *process)
{
	size_t n = 0;

	for (size_t i = 0; i < reader->n_wanted; i++)
		if (reader->wanted[i].process != process)
			reader->wanted[n++] = reader->wanted[i];
	reader->n_wanted = n;
}

static void drop_process(struct hotspot_reader *reader, struct vm_process *process)
{
	forget_wanted(reader, process);
	free(process->known.all);
	free(process->inlined.all);
	*process = (struct vm_process){ .pid = 0 };
	reader->n_processes--;
}

static bool is_vm_library(const struct observed_mapping *mapping)
{
	static const char name[] = "/libjvm.so";
	const char *found = strstr(mapping->path, name);

	return mapping->is_code && found &&
	       (!found[sizeof(name) - 1] || found[sizeof(name) - 1] == ' ');
}

static void add_process(struct hotspot_reader *reader, const struct observed_mapping *mapping)
{
	struct vm_process *process = find_process(reader, mapping->pid);

	if (process && process->code - process->offset == mapping->start - mapping->offset)
		return;
	if (process)
		drop_process(reader, process);
	for (size_t i = 0; i < PROCESSES_MAX; i++) {
		process = &reader->processes[i];
		if (process->pid)
			continue;
		*process = (struct vm_process){ .pid = mapping->pid,
						.code = mapping->start,
						.offset = mapping->offset,
						.mapped_ns = mapping->time_ns };
		reader->n_processes++;
		return;
	}
	reader->n_left_out++;
}

static bool covers(const struct known_code *known, uint64_t addr)
{
	return addr - known->start < known->end - known->start;
}

static size_t first_ending_above(const struct known_list *list, uint64_t addr)
{
	return sorted_count(list->n, i, list->all[i].end <= addr);
}

static struct known_code *find_known(const struct known_list *list, uint64_t addr)
{
	size_t i = first_ending_above(list, addr);

	return i < list->n && covers(&list->all[i], addr) ? &list->all[i] : NULL;
}

/* The elements from @first up to the result overlap what ends at @end. */
static size_t first_from(const struct known_list *list, size_t first, uint64_t end)
{
	while (first < list->n && list->all[first].start < end)
		first++;
	return first;
}

/* In place of what overlaps it. 0 or -ENOMEM. */
static int add_known(struct known_list *list, const struct known_code *added)
{
	size_t first = first_ending_above(list, added->start);
	size_t after = first_from(list, first, added->end);

	if (first == after && list->n >= KNOWN_MAX)
		return 0;
	if (array_reserve(list->all, list->n, list->n_allocated, 1))
		return -ENOMEM;
	memmove(list->all + first + 1, list->all + after, (list->n - after) * sizeof(*added));
	list->all[first] = *added;
	list->n = list->n - (after - first) + 1;
	return 0;
}

static void forget_known(struct known_list *list, uint64_t start, uint64_t end)
{
	size_t first = first_ending_above(list, start), after = first_from(list, first, end);

	if (first == after)
		return;
	memmove(list->all + first, list->all + after, (list->n - after) * sizeof(*list->all));
	list->n -= after - first;
}

/* Whether an address that is not known is new in this round, and may be something. */
static bool may_ask(struct hotspot_reader *reader, int32_t pid, uint64_t addr)
{
	uint64_t key = addr ^ (uint64_t)(uint32_t)pid << 48;
	struct question *question = &reader->questions[hash_to_bits(key, QUESTIONS_BITS)];

	if (question->addr != addr || question->pid != pid)
		*question = (struct question){ .pid = pid, .addr = addr };
	if (question->round == reader->round ||
	    (question->missed_ns && reader->last_ns < question->missed_ns + MISS_NS))
		return false;
	question->round = reader->round;
	return true;
}

static void note_miss(struct hotspot_reader *reader, int32_t pid, uint64_t addr)
{
	uint64_t key = addr ^ (uint64_t)(uint32_t)pid << 48;
	struct question *question = &reader->questions[hash_to_bits(key, QUESTIONS_BITS)];

	if (question->addr == addr && question->pid == pid)
		question->missed_ns = reader->last_ns;
}

/* Whether it is not known what is inlined at an address of known code. */
static bool lacks_inlined(const struct vm_process *process, const struct known_code *known,
			  uint64_t addr)
{
	return known->has_scopes && !find_known(&process->inlined, addr);
}

/* Whether it has to be looked at whether it is still the same. */
static bool is_due(const struct hotspot_reader *reader, const struct known_code *known,
		   bool is_method)
{
	return known->wanted != reader->round &&
	       !(is_method && reader->last_ns < known->checked_ns + METHOD_NS);
}

static void want(struct hotspot_reader *reader, struct vm_process *process, uint64_t addr,
		 bool is_method)
{
	struct known_code *known = find_known(&process->known, addr);

	if (reader->n_wanted == WANTED_MAX)
		return;
	if (!known || !is_due(reader, known, is_method)) {
		bool is_new = !known || lacks_inlined(process, known, addr);

		if (!is_new || !may_ask(reader, process->pid, addr))
			return;
	}
	if (known)
		known->wanted = reader->round;
	reader->wanted[reader->n_wanted++] = (struct wanted){ process, addr, is_method };
}

/* The code of an image is at its place in the file, or pages after that. */
static int find_vm(const struct process_memory *memory, struct vm_process *process)
{
	uint64_t image = process->code - process->offset;
	int err = hotspot_vm_find(memory, image, &process->vm);

	for (unsigned i = 1; i < IMAGE_PAGES && err; i++)
		if (!hotspot_vm_find(memory, image - i * PAGE, &process->vm))
			return 0;
	return err;
}

/* While it is being loaded its tables are not complete. */
static void note_failure(struct hotspot_reader *reader, struct vm_process *process, int err)
{
	if (err == -EPERM) {
		process->state = VM_FORBIDDEN;
		reader->n_forbidden++;
		return;
	}
	process->next_try_ns = reader->last_ns + ++process->n_failed * TRY_AGAIN_NS;
	if (process->n_failed < TRIES_MAX)
		return;
	process->state = VM_STRANGE;
	reader->n_strange++;
}

/* Whether the machine's code is known. It has no heaps at first, and gets one after the other. */
static bool look_at_vm(struct hotspot_reader *reader, struct vm_process *process)
{
	const struct live_memory live = memory_of(process);

	if (process->state == VM_STRANGE || process->state == VM_FORBIDDEN)
		return false;
	if (process->looked == reader->round)
		return process->state == VM_FOUND && process->vm.n_heaps;
	process->looked = reader->round;
	if (process->state == VM_UNKNOWN && reader->last_ns < process->next_try_ns)
		return false;
	if (process->state == VM_UNKNOWN) {
		int err = find_vm(&live.memory, process);

		if (err == -ENOENT || err == -EPERM)
			note_failure(reader, process, err);
		if (err)
			return false;
		process->state = VM_FOUND;
	}
	hotspot_vm_find_heaps(&live.memory, &process->vm);
	return process->vm.n_heaps;
}

static bool read_word(const struct sample_record *sample, uint64_t sp, uint64_t addr,
		      uint64_t *word_ret)
{
	uint64_t at = addr - sp;

	if (sample->user_stack_size < WORD || at > sample->user_stack_size - WORD)
		return false;
	memcpy(word_ret, (const uint8_t *)sample->user_stack + at, WORD);
	return true;
}

/* If a frame of the interpreter has this frame pointer, its method is wanted. */
static void want_method(struct hotspot_reader *reader, struct vm_process *process,
			const struct sample_record *sample, uint64_t sp, uint64_t fp)
{
	uint64_t sender_sp, method;

	if (fp % WORD || !read_word(sample, sp, fp + SENDER_SP, &sender_sp) ||
	    !read_word(sample, sp, fp + METHOD, &method))
		return;
	bool is_frame = sender_sp > fp + WORD && sender_sp - sp <= sample->user_stack_size &&
			sender_sp % WORD == 0;
	if (is_frame && method && method % WORD == 0 && method - sp >= sample->user_stack_size &&
	    !hotspot_vm_heap(&process->vm, method))
		want(reader, process, method, true);
}

/* Any word may be a return address, or the frame pointer that a callee has saved. */
static void see_stack(struct hotspot_reader *reader, struct vm_process *process,
		      const struct sample_record *sample, uint64_t sp)
{
	uint64_t word;

	for (uint64_t at = 0; read_word(sample, sp, sp + at, &word); at += WORD) {
		/* The byte before a return address is the call's. */
		if (hotspot_vm_heap(&process->vm, word - 1))
			want(reader, process, word - 1, false);
		else if (word - sp < sample->user_stack_size && word > sp + at)
			want_method(reader, process, sample, sp, word);
	}
}

static int see_sample(void *state, const struct record *record)
{
	struct hotspot_reader *reader = state;
	const struct sample_record *sample = &record->sample;
	struct vm_process *process = find_process(reader, record->pid);
	struct regs regs;

	if (!process || !record->has_time || !sample->has_user_regs)
		return 0;
	const struct arch *arch = machine_arch(reader->machine, sample->user_regs.abi);
	if (arch != &arch_x86_64 ||
	    !regs_from_perf(arch, sample->user_regs.mask, sample->user_regs.values, &regs))
		return 0;
	if (!reader->first_ns || record->time_ns < reader->first_ns)
		reader->first_ns = record->time_ns;
	if (record->time_ns > reader->last_ns)
		reader->last_ns = record->time_ns;
	if (!look_at_vm(reader, process))
		return 0;
	if (hotspot_vm_heap(&process->vm, regs.pc))
		want(reader, process, regs.pc, false);
	if (!sample->user_stack)
		return 0;
	if (regs_have(&regs, arch->fp))
		want_method(reader, process, sample, regs.values[arch->sp], regs.values[arch->fp]);
	see_stack(reader, process, sample, regs.values[arch->sp]);
	return 0;
}

static int write_record(struct hotspot_reader *reader, const struct vm_process *process,
			const struct hotspot_code *code)
{
	struct runtime_record record = { .header = code->header, .name = code->name };
	void *room;

	int err = data_writer_reserve(reader->writer, RUNTIME_RECORD_SIZE_MAX, &room);
	if (err)
		return err;
	record.header.pid = process->pid;
	/* Just before the samples that need it. */
	record.header.time_ns = reader->first_ns - 1;
	runtime_record_encode(&record, room);
	reader->n_records++;
	return data_writer_commit(reader->writer);
}

/* Reads it, as it is new or has changed. */
static int take(struct hotspot_reader *reader, const struct wanted *wanted)
{
	struct vm_process *process = wanted->process;
	const struct live_memory live = memory_of(process);
	struct hotspot_code code;

	int err = wanted->is_method
			  ? hotspot_method_read(&live.memory, &process->vm, wanted->addr, &code)
			  : hotspot_code_read(&live.memory, &process->vm, wanted->addr, &code);
	if (err) {
		note_miss(reader, process->pid, wanted->addr);
		return 0;
	}
	const struct known_code added = {
		.start = code.header.start,
		.end = code.header.start + code.header.size,
		.object = code.object,
		.mark = code.mark,
		.checked_ns = reader->last_ns,
		.kind = code.header.kind,
		.wanted = reader->round,
		.has_scopes = code.has_scopes,
	};
	forget_known(&process->inlined, added.start, added.end);
	err = add_known(&process->known, &added);
	return err ? err : write_record(reader, process, &code);
}

/* Reads what is inlined at an address of known code. */
static int take_inlined(struct hotspot_reader *reader, const struct wanted *wanted,
			const struct known_code *known)
{
	struct vm_process *process = wanted->process;
	const struct live_memory live = memory_of(process);
	const uint64_t code_end = known->end;
	struct hotspot_code code;

	int err = hotspot_inlined_read(&live.memory, &process->vm, known->object, wanted->addr,
				       &code);
	if (err || code.header.start < known->start) {
		note_miss(reader, process->pid, wanted->addr);
		return 0;
	}
	if (code.header.size > code_end - code.header.start)
		code.header.size = (uint32_t)(code_end - code.header.start);
	const struct known_code added = {
		.start = code.header.start,
		.end = code.header.start + code.header.size,
	};
	err = add_known(&process->inlined, &added);
	return err || !code.header.name_size ? err : write_record(reader, process, &code);
}

static int look_at_inlined(struct hotspot_reader *reader, const struct wanted *wanted,
			   size_t *n_read)
{
	const struct known_code *known = find_known(&wanted->process->known, wanted->addr);

	if (!known || !lacks_inlined(wanted->process, known, wanted->addr) ||
	    *n_read == INLINED_MAX)
		return 0;
	++*n_read;
	return take_inlined(reader, wanted, known);
}

/* @n_read: how many were read in this round. */
static int look_at_code(struct hotspot_reader *reader, const struct wanted *wanted, size_t *n_read)
{
	struct vm_process *process = wanted->process;
	struct known_code *known = find_known(&process->known, wanted->addr);
	const struct live_memory live = memory_of(process);
	uint64_t mark;

	if (known && known->checked_ns == reader->last_ns)
		return 0;
	if (known) {
		int err = hotspot_mark_read(&live.memory, &process->vm, known->object, known->kind,
					    &mark);
		known->checked_ns = reader->last_ns;
		if (err || mark == known->mark)
			return 0;
	}
	if (*n_read == READ_MAX)
		return 0;
	++*n_read;
	return take(reader, wanted);
}

static int end_round(void *state, const struct observed_round *round)
{
	struct hotspot_reader *reader = state;
	size_t n_read = 0, n_inlined = 0;
	int err = 0;

	(void)round;
	for (size_t i = 0; i < reader->n_wanted && !err; i++) {
		err = look_at_code(reader, &reader->wanted[i], &n_read);
		if (!err)
			err = look_at_inlined(reader, &reader->wanted[i], &n_inlined);
	}
	reader->n_wanted = 0;
	reader->first_ns = 0;
	if (!++reader->round)
		reader->round = 1;
	return err;
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)build_id;
	if (is_vm_library(mapping))
		add_process(state, mapping);
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	see_mapping(state, mapping, NULL);
}

static int see_sideband(void *state, const struct record *record)
{
	struct hotspot_reader *reader = state;
	struct vm_process *process = NULL;

	switch (record->type) {
	case PERF_RECORD_COMM:
		if (record->comm.is_exec)
			process = find_process(reader, record->comm.pid);
		break;
	case PERF_RECORD_EXIT:
		if (record->task.pid == record->task.tid)
			process = find_process(reader, record->task.pid);
		break;
	}
	/* Rings are read one after the other: it may belong to a machine before this one. */
	if (process && process->mapped_ns <= record->time_ns)
		drop_process(reader, process);
	return 0;
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct utsname name;

	if (!recording->has_known_clock)
		return 0;
	/* Zeroed pages are not touched before they are used. */
	struct hotspot_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->round = 1;
	reader->writer = recording->writer;
	reader->machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	*state = reader;
	return 0;
}

static void destroy(void *state)
{
	struct hotspot_reader *reader = state;

	for (size_t i = 0; i < PROCESSES_MAX; i++) {
		free(reader->processes[i].known.all);
		free(reader->processes[i].inlined.all);
	}
	free(reader);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct hotspot_reader *reader = state;

	if (reader->n_strange)
		recording_notes_add_counted(
			notes, false, reader->n_strange,
			"{process runs|processes run} a Java machine of a version that dendro does "
			"not know: {its|their} methods have no names.");
	if (reader->n_forbidden)
		recording_notes_add_counted(notes, false, reader->n_forbidden,
					    "Java {process|processes} may not be read: {its|their} "
					    "methods have no names. Root may.");
	if (reader->n_left_out)
		recording_notes_add_counted(notes, false, reader->n_left_out,
					    "Java {process was|processes were} too many at once: "
					    "{its|their} methods have no names.");
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct hotspot_reader *reader = state;

	if (is_verbose && reader->n_records)
		recording_notes_add(notes, true,
				    "Java methods and pieces of code described: %" PRIu64 ".",
				    reader->n_records);
}

const struct recording_observer hotspot_reader_observer = {
	.name = "Java code",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.see_sideband = see_sideband,
	.see_sample = see_sample,
	.end_round = end_round,
	.advise = advise,
	.describe = describe,
};
