#include "collector/record/follow/follower.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/paths/sample_path.h"
#include "collector/record/follow/follow_link.h"
#include "collector/record/follow/held_thread.h"

/* Requests of one round that wait for their answers. */
#define N_WAITING_MAX 1024
/* The end of a round waits no longer: meanwhile the rings fill. */
#define WAIT_NS (20 * NSEC_PER_MSEC)
/* Where samples do not wake the recorder. */
#define INTERVAL_NS NSEC_PER_MSEC

/* A sample that was sent, and whose answer has not come. */
struct waiting {
	uint64_t number;
	uint64_t time_ns;
	int32_t pid, tid;
};

struct subject_findings {
	uint64_t n_found, n_wrong, n_without;
};

struct follower {
	struct follow_link *link;
	struct data_writer *writer;
	const struct machine *machine;
	uint32_t stack_size;
	bool wakes; /* samples wake the recorder, and: */
	struct held_thread held;
	bool must_move; /* to the CPU of that thread, after the round */
	pid_t own_pid;
	struct int_list changed; /* processes with mappings that the other side does not know */
	struct waiting waiting[N_WAITING_MAX];
	size_t n_waiting;
	/* Answers to what was given up are awaited, but of no use; until then nothing is asked. */
	uint64_t n_given_up;
	bool is_gone; /* the other process has ended */
	struct subject_findings findings[FOLLOW_MAX];
	uint64_t delay_sum_ns, delay_max_ns; /* with MEMORY_READ */
	uint64_t n_outcomes[N_MEMORY_OUTCOMES];
	uint64_t n_at_sample;      /* with MEMORY_READ: all of it by the kernel, at the sample */
	int follow_err;            /* why the kernel does not read at samples; 0: it may */
	const char *follow_reason; /* in its own words */
};

static int write_record(struct follower *follower, const struct memory_record *memory)
{
	uint64_t space[MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
	struct perf_event_header *record = (struct perf_event_header *)space;
	const struct memory_record_header *header = &memory->header;

	memory_record_encode(memory, record);
	follower->n_outcomes[header->outcome]++;
	follower->n_at_sample +=
		header->outcome == MEMORY_READ && memory_record_is_at_sample(memory);
	if (header->outcome == MEMORY_READ) {
		follower->delay_sum_ns += header->delay_ns;
		if (header->delay_ns > follower->delay_max_ns)
			follower->delay_max_ns = header->delay_ns;
	}
	return data_writer_append(follower->writer, record, record->size);
}

/* It will not be known what the sample needed. */
static int give_up(struct follower *follower, const struct waiting *sample)
{
	const struct memory_record memory = { .header = { .pid = sample->pid,
							  .tid = sample->tid,
							  .time_ns = sample->time_ns,
							  .delay_ns = now_ns() - sample->time_ns,
							  .outcome = MEMORY_TOO_LATE } };

	return write_record(follower, &memory);
}

static void note_findings(struct follower *follower, const struct follow_answer *answer)
{
	for (size_t i = 0; i < follower->link->subjects->n; i++) {
		struct subject_findings *findings = &follower->findings[i];

		findings->n_found += answer->found >> i & 1;
		findings->n_wrong += answer->wrong >> i & 1;
		findings->n_without += answer->without >> i & 1;
	}
}

/* What the other side says is checked, for it reads files that anybody may have made. */
static int take_answer(struct follower *follower, const struct follow_answer_message *message,
		       size_t size)
{
	const struct follow_answer *answer = &message->answer;
	const struct perf_event_header *record = (const void *)message->record;
	struct memory_record memory;
	size_t i = 0;

	if (size < sizeof(*answer))
		return 0;
	while (i < follower->n_waiting && follower->waiting[i].number != answer->number)
		i++;
	if (i == follower->n_waiting)
		return 0;
	const struct waiting sample = follower->waiting[i];
	follower->waiting[i] = follower->waiting[--follower->n_waiting];
	note_findings(follower, answer);
	if (size == sizeof(*answer))
		return 0;
	if (size < sizeof(*answer) + sizeof(*record) || size - sizeof(*answer) != record->size ||
	    !memory_record_decode(record, &memory))
		return give_up(follower, &sample);
	memory.header.pid = sample.pid;
	memory.header.tid = sample.tid;
	memory.header.time_ns = sample.time_ns;
	return write_record(follower, &memory);
}

/* All answers that are there. 0 or -errno of the writer. */
static int take_answers(struct follower *follower)
{
	struct follow_answer_message message;
	ssize_t n;
	int err = 0;

	while (!err && !follower->is_gone) {
		n = recv(follower->link->fd, &message, sizeof(message), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		follower->is_gone = n <= 0;
		if (n > 0 && follower->n_given_up)
			follower->n_given_up--;
		else if (n > 0)
			err = take_answer(follower, &message, (size_t)n);
	}
	return err;
}

static int give_all_up(struct follower *follower)
{
	int err = 0;

	follower->n_given_up += follower->n_waiting;
	while (follower->n_waiting && !err)
		err = give_up(follower, &follower->waiting[--follower->n_waiting]);
	return err;
}

static int end_round(void *state, const struct observed_round *round)
{
	struct follower *follower = state;
	struct pollfd ready = { .fd = follower->link->fd, .events = POLLIN };
	const uint64_t end_ns = now_ns() + WAIT_NS;
	int err = take_answers(follower);

	(void)round;
	while (!err && follower->n_waiting && !follower->is_gone) {
		const uint64_t now = now_ns();

		if (now >= end_ns)
			break;
		poll(&ready, 1, (int)((end_ns - now) / NSEC_PER_MSEC) + 1);
		err = take_answers(follower);
	}
	if (follower->must_move)
		held_thread_join(&follower->held, follower->link->pid);
	follower->must_move = false;
	return err ? err : give_all_up(follower);
}

/* false: there is no room, or nobody to read it. */
static bool send_request(struct follower *follower, const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	struct follow_request request = {
		.number = follower->link->n_asked++,
		.time_ns = record->time_ns,
		.abi = sample->user_regs.abi,
		.mask = sample->user_regs.mask,
		.pid = record->pid,
		.tid = record->tid,
		.stack_size = (uint32_t)sample->user_stack_size,
		.memory_size = sample->memory ? sample->memory->size : 0,
		.is_full = sample_stack_is_full(sample, follower->stack_size),
		.has_changed = int_list_has(&follower->changed, record->pid),
	};
	struct iovec parts[] = {
		{ &request, sizeof(request) },
		{ (void *)(uintptr_t)sample->user_regs.values,
		  sizeof(uint64_t) * (size_t)__builtin_popcountll(request.mask) },
		{ (void *)(uintptr_t)sample->memory, request.memory_size },
		{ (void *)(uintptr_t)sample->user_stack, request.stack_size },
	};
	const struct msghdr message = { .msg_iov = parts,
					.msg_iovlen = sizeof(parts) / sizeof(parts[0]) };

	if (sendmsg(follower->link->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		follower->is_gone |= errno == EPIPE || errno == ECONNRESET;
		return false;
	}
	if (request.has_changed)
		int_list_remove(&follower->changed, record->pid);
	return true;
}

static int see_sample(void *state, const struct record *record)
{
	struct follower *follower = state;
	const struct waiting sample = { .number = follower->link->n_asked,
					.time_ns = record->time_ns,
					.pid = record->pid,
					.tid = record->tid };

	if (!record->sample.has_user_regs || record->pid <= 0 || record->pid == follower->own_pid ||
	    record->pid == follower->link->pid ||
	    !machine_arch(follower->machine, record->sample.user_regs.abi))
		return 0;
	if (follower->is_gone || follower->n_given_up || follower->n_waiting == N_WAITING_MAX ||
	    !send_request(follower, record))
		return give_up(follower, &sample);
	follower->waiting[follower->n_waiting++] = sample;
	if (follower->wakes && record->has_cpu)
		follower->must_move |= held_thread_see(&follower->held, record->tid, record->cpu);
	return 0;
}

static int see_sideband(void *state, const struct record *record)
{
	struct follower *follower = state;

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return record->mmap.prot & PROT_EXEC
			       ? int_list_insert(&follower->changed, record->mmap.pid)
			       : 0;
	case PERF_RECORD_FORK: /* the number may have been another's */
		return record->task.pid != record->task.ppid
			       ? int_list_insert(&follower->changed, record->task.pid)
			       : 0;
	case PERF_RECORD_EXIT:
		if (record->task.pid == record->task.tid)
			int_list_remove(&follower->changed, record->task.pid);
		return 0;
	default:
		return 0;
	}
}

static int begin(const struct observed_recording *recording, void **state)
{
	const struct perf_event_attr *attr = &recording->evlist->events[0].attr;
	struct utsname name;

	if (!recording->follow)
		return 0;
	if (!recording->has_known_clock)
		return recording_notes_explain(
			recording->notes, -EOPNOTSUPP,
			"--follow needs times of CLOCK_MONOTONIC, which this kernel does not give "
			"(before 4.1).");
	struct follower *follower = calloc(1, sizeof(*follower));
	if (!follower)
		return -ENOMEM;
	follower->link = recording->follow;
	follower->writer = recording->writer;
	follower->machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	follower->stack_size = attr->sample_stack_user;
	follower->wakes = attr->watermark && attr->wakeup_watermark == 1;
	follower->own_pid = getpid();
	follower->follow_err = recording->evlist->follow_err;
	follower->follow_reason = recording->evlist->bpf_reason;
	if (recording->follow->rules_map < 0)
		follower->follow_err = recording->follow->rules_map;
	held_thread_init(&follower->held);
	*state = follower;
	return 0;
}

/* Before another file begins, whose writer has a thread of its own. */
static int finish(void *state)
{
	struct follower *follower = state;

	held_thread_leave(&follower->held, follower->link->pid);
	return 0;
}

static void destroy(void *state)
{
	struct follower *follower = state;

	if (follower)
		int_list_deinit(&follower->changed);
	free(follower);
}

static uint64_t interval_ns(const void *state)
{
	const struct follower *follower = state;

	return follower->wakes ? UINT64_MAX : INTERVAL_NS;
}

static void describe_subject(const struct value_subject *subject,
			     const struct subject_findings *findings, struct recording_notes *notes)
{
	const char *function = subject->function, *expression = subject->expression.text;

	if (!findings->n_found)
		recording_notes_add(notes, false, "--follow: no stack had a frame of '%s'.",
				    function);
	else if (findings->n_without == findings->n_found)
		recording_notes_add(notes, false,
				    "--follow: '%s' has no debug information: nothing was read "
				    "for '%s'.",
				    function, expression);
	else if (findings->n_wrong)
		recording_notes_add(notes, false,
				    "--follow: at %" PRIu64 " of %" PRIu64
				    " samples '%s' had no such variable or member of '%s'.",
				    findings->n_wrong, findings->n_found, function, expression);
	else
		recording_notes_add(notes, true,
				    "--follow: '%s' was evaluated at %" PRIu64
				    " samples with '%s' on their path.",
				    expression, findings->n_found, function);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct follower *follower = state;

	if (follower->is_gone)
		recording_notes_add(notes, false,
				    "--follow: the process that reads has ended early: what is "
				    "missing is counted as not in time.");
	for (int i = MEMORY_READ + 1; i < N_MEMORY_OUTCOMES; i++)
		if (follower->n_outcomes[i])
			recording_notes_add(
				notes, false,
				"--follow: memory was not read for %" PRIu64 " sample%s: %s.",
				follower->n_outcomes[i], follower->n_outcomes[i] == 1 ? "" : "s",
				memory_outcome_text((enum memory_outcome)i));
}

static void describe_refusal(const struct follower *follower, struct recording_notes *notes)
{
	const char *reason = follower->follow_reason;

	recording_notes_add(notes, false,
			    "--follow: all memory is read after its sample, because this kernel "
			    "has no BPF program read it at the sample: %s%s%s%s.",
			    strerror(-follower->follow_err),
			    *reason ? " (the kernel's verifier: " : "", reason, *reason ? ")" : "");
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct follower *follower = state;
	const struct follow_subjects *subjects = follower->link->subjects;
	const uint64_t n = follower->n_outcomes[MEMORY_READ] - follower->n_at_sample;

	(void)is_verbose;
	for (size_t i = 0; i < subjects->n; i++)
		describe_subject(&subjects->subjects[i], &follower->findings[i], notes);
	if (follower->follow_err)
		describe_refusal(follower, notes);
	if (follower->n_at_sample)
		recording_notes_add(notes, false,
				    "--follow: memory was read for %" PRIu64
				    " sample%s by a BPF program, at the sample itself.",
				    follower->n_at_sample, follower->n_at_sample == 1 ? "" : "s");
	if (n)
		recording_notes_add(notes, false,
				    "--follow: memory was read for %" PRIu64
				    " sample%s, %.3f ms after the sample on average, %.3f ms at "
				    "most.",
				    n, n == 1 ? "" : "s",
				    (double)follower->delay_sum_ns / 1e6 / (double)n,
				    (double)follower->delay_max_ns / 1e6);
}

const struct recording_observer follower_observer = {
	.name = "memory that variables lead to",
	.begin = begin,
	.destroy = destroy,
	.see_sideband = see_sideband,
	.see_sample = see_sample,
	.end_round = end_round,
	.finish = finish,
	.interval_ns = interval_ns,
	.advise = advise,
	.describe = describe,
};
