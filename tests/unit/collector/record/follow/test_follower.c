/* The recorder's side of --follow, with a test in place of the process that reads. */
#include <asm/perf_regs.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "collector/record/follow/follow_link.h"
#include "collector/record/follow/follower.h"
#include "perf/file/data_file.h"
#include "tests/unit/fixtures/observed_bench.h"

enum { PID = 10, TID = 11, STACK_SIZE = 16 };

struct fixture {
	struct observed_bench *bench;
	struct evlist_event events[1];
	struct evlist evlist;
	struct value_subject subject;
	struct follow_subjects subjects;
	struct follow_link link;
	int other; /* the end of the process that reads */
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_null(value_subject_parse(&fixture->subject, "parse:p->kind"));
	fixture->subjects = (struct follow_subjects){ &fixture->subject, 1 };
	fixture->link =
		(struct follow_link){ .pid = 99, .fd = ends[0], .subjects = &fixture->subjects };
	fixture->other = ends[1];
	fixture->events[0].attr.sample_stack_user = STACK_SIZE;
	fixture->evlist = (struct evlist){ .events = fixture->events, .n_events = 1 };
	fixture->bench = bench_create(&follower_observer);
	fixture->bench->recording.evlist = &fixture->evlist;
	fixture->bench->recording.follow = &fixture->link;
	bench_begin(fixture->bench);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	bench_destroy(fixture->bench);
	close(fixture->link.fd);
	close(fixture->other);
	free(fixture);
	return 0;
}

static void see_sample(struct fixture *fixture, int32_t pid, uint64_t time_ns)
{
	static const uint64_t regs[] = { 0x7000, 0x400000 };
	static const uint8_t stack[STACK_SIZE] = "a stack's bytes";
#ifdef __aarch64__
	const uint64_t mask = 1ull << PERF_REG_ARM64_SP | 1ull << PERF_REG_ARM64_PC;
#else
	const uint64_t mask = 1ull << PERF_REG_X86_SP | 1ull << PERF_REG_X86_IP;
#endif
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.has_time = true,
		.pid = pid,
		.tid = TID,
		.time_ns = time_ns,
		.sample = { .has_user_regs = true,
			    .user_regs = { PERF_SAMPLE_REGS_ABI_64, mask, regs },
			    .user_stack = stack,
			    .user_stack_size = STACK_SIZE },
	};

	assert_int_equal(fixture->bench->observer->see_sample(fixture->bench->state, &record), 0);
}

/* What the process gets; false: nothing. */
static bool receive(struct fixture *fixture, struct follow_request *request_ret)
{
	struct {
		struct follow_request request;
		uint64_t regs[2];
		uint8_t stack[STACK_SIZE];
	} message;
	const ssize_t n = recv(fixture->other, &message, sizeof(message), MSG_DONTWAIT);

	if (n < 0)
		return false;
	assert_int_equal(n, sizeof(message));
	assert_int_equal(message.regs[1], 0x400000);
	assert_string_equal((char *)message.stack, "a stack's bytes");
	*request_ret = message.request;
	return true;
}

/* Sends an answer with a record. The thread in it does not matter. */
static void answer(struct fixture *fixture, uint64_t number, size_t n_missing)
{
	const struct memory_record memory = {
		.header = { .pid = 1, .tid = 2, .time_ns = 3, .delay_ns = 40, .n_parts = 1 },
		.parts = (struct memory_part[]){ { .addr = 0x1000, .size = 4 } },
		.bytes = (const uint8_t *)"four",
		.n_bytes = 4,
	};
	struct follow_answer_message message = { .answer = { .number = number, .found = 1 } };
	struct perf_event_header *record = (struct perf_event_header *)message.record;

	memory_record_encode(&memory, record);
	message.answer.size = record->size;
	const size_t size = sizeof(message.answer) + record->size - n_missing;
	assert_int_equal(send(fixture->other, &message, size, 0), size);
}

static void end_round(struct fixture *fixture)
{
	bench_end_round(fixture->bench);
}

/* The memory records of the recording, in their order. Returns how many there are. */
static size_t read_back(struct fixture *fixture, struct memory_record_header *headers, size_t max)
{
	struct observed_bench *bench = fixture->bench;
	struct memory_record memory;
	char path[32], *error = NULL;
	struct raw_record raw;
	size_t n = 0;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &bench->file, &error), 0);
	while (data_file_next(bench->file, &raw) == 1) {
		if (memory_record_is_type(raw.header)) {
			assert_true(n < max && memory_record_decode(raw.header, &memory));
			headers[n++] = memory.header;
		}
		data_block_unref(raw.block);
	}
	return n;
}

static void what_is_answered_becomes_a_record_of_the_sample(void **state)
{
	struct fixture *fixture = *state;
	struct memory_record_header headers[2];
	struct follow_request request;

	see_sample(fixture, PID, 1000);
	assert_true(receive(fixture, &request));
	assert_int_equal(request.pid, PID);
	assert_int_equal(request.time_ns, 1000);
	assert_true(request.is_full);
	answer(fixture, request.number, 0);
	end_round(fixture);
	assert_int_equal(read_back(fixture, headers, 2), 1);
	assert_int_equal(headers[0].pid, PID);
	assert_int_equal(headers[0].tid, TID);
	assert_int_equal(headers[0].time_ns, 1000);
	assert_int_equal(headers[0].delay_ns, 40);
	assert_int_equal(headers[0].outcome, MEMORY_READ);
}

static void a_sample_that_needed_nothing_has_no_record(void **state)
{
	struct fixture *fixture = *state;
	struct memory_record_header headers[1];
	struct follow_request request;

	see_sample(fixture, PID, 1000);
	assert_true(receive(fixture, &request));
	const struct follow_answer nothing = { .number = request.number };
	assert_int_equal(send(fixture->other, &nothing, sizeof(nothing), 0), sizeof(nothing));
	end_round(fixture);
	assert_int_equal(read_back(fixture, headers, 1), 0);
}

static void what_is_not_answered_in_its_round_is_too_late(void **state)
{
	struct fixture *fixture = *state;
	struct memory_record_header headers[4];
	struct follow_request first, second;

	see_sample(fixture, PID, 1000);
	end_round(fixture);
	assert_true(receive(fixture, &first));
	/* Nothing is asked until the answer has come, which is of no use then. */
	see_sample(fixture, PID, 2000);
	assert_false(receive(fixture, &second));
	answer(fixture, first.number, 0);
	end_round(fixture);
	see_sample(fixture, PID, 3000);
	assert_true(receive(fixture, &second));
	answer(fixture, second.number, 0);
	end_round(fixture);
	assert_int_equal(read_back(fixture, headers, 4), 3);
	assert_int_equal(headers[0].time_ns, 1000);
	assert_int_equal(headers[0].outcome, MEMORY_TOO_LATE);
	assert_int_equal(headers[1].time_ns, 2000);
	assert_int_equal(headers[1].outcome, MEMORY_TOO_LATE);
	assert_int_equal(headers[2].time_ns, 3000);
	assert_int_equal(headers[2].outcome, MEMORY_READ);
}

static void malformed_answers_are_not_recorded(void **state)
{
	struct fixture *fixture = *state;
	struct memory_record_header headers[2];
	struct follow_request request;

	see_sample(fixture, PID, 1000);
	assert_true(receive(fixture, &request));
	assert_int_equal(send(fixture->other, "x", 1, 0), 1);
	answer(fixture, request.number + 7, 0);
	answer(fixture, request.number, 8);
	end_round(fixture);
	assert_int_equal(read_back(fixture, headers, 2), 1);
	assert_int_equal(headers[0].time_ns, 1000);
	assert_int_equal(headers[0].outcome, MEMORY_TOO_LATE);
}

static void without_the_other_process_it_goes_on_and_says_so(void **state)
{
	struct fixture *fixture = *state;
	struct memory_record_header headers[2];
	struct recording_notes notes = { .n = 0 };

	close(fixture->other);
	fixture->other = -1;
	see_sample(fixture, PID, 1000);
	end_round(fixture);
	see_sample(fixture, PID, 2000);
	fixture->bench->observer->advise(fixture->bench->state, &notes);
	assert_int_equal(notes.n, 2);
	assert_non_null(strstr(notes.notes[0].text, "has ended early"));
	assert_non_null(strstr(notes.notes[1].text, "not read for 2 samples: not in time"));
	recording_notes_deinit(&notes);
	assert_int_equal(read_back(fixture, headers, 2), 2);
}

static void new_mappings_of_a_process_are_told_with_its_next_sample(void **state)
{
	const struct record mapping = { .type = PERF_RECORD_MMAP2,
					.mmap = { .pid = PID, .prot = PROT_EXEC } };
	struct fixture *fixture = *state;
	struct follow_request request;

	assert_int_equal(fixture->bench->observer->see_sideband(fixture->bench->state, &mapping),
			 0);
	see_sample(fixture, PID + 1, 1000);
	assert_true(receive(fixture, &request));
	assert_false(request.has_changed);
	see_sample(fixture, PID, 2000);
	assert_true(receive(fixture, &request));
	assert_true(request.has_changed);
	see_sample(fixture, PID, 3000);
	assert_true(receive(fixture, &request));
	assert_false(request.has_changed);
}

static void what_profiles_is_not_followed(void **state)
{
	struct fixture *fixture = *state;
	struct follow_request request;

	see_sample(fixture, getpid(), 1000);
	see_sample(fixture, fixture->link.pid, 1000);
	see_sample(fixture, 0, 1000);
	assert_false(receive(fixture, &request));
}

static void what_was_found_is_said(void **state)
{
	struct fixture *fixture = *state;
	struct recording_notes notes = { .n = 0 };
	struct follow_request request;

	fixture->bench->observer->describe(fixture->bench->state, false, &notes);
	assert_int_equal(notes.n, 1);
	assert_string_equal(notes.notes[0].text, "--follow: no stack had a frame of 'parse'.");
	recording_notes_deinit(&notes);
	notes = (struct recording_notes){ .n = 0 };
	see_sample(fixture, PID, 1000);
	assert_true(receive(fixture, &request));
	answer(fixture, request.number, 0);
	end_round(fixture);
	fixture->bench->observer->describe(fixture->bench->state, false, &notes);
	assert_int_equal(notes.n, 2);
	assert_true(notes.notes[0].is_detail);
	assert_string_equal(notes.notes[1].text,
			    "--follow: memory was read for 1 sample, 0.000 ms after the sample "
			    "on average, 0.000 ms at most.");
	recording_notes_deinit(&notes);
}

static void why_the_kernel_reads_nothing_is_said_in_its_words(void **state)
{
	struct fixture *fixture = *state;
	struct recording_notes notes = { .n = 0 };

	fixture->bench->observer->destroy(fixture->bench->state);
	fixture->evlist.follow_err = -EACCES;
	snprintf(fixture->evlist.bpf_reason, sizeof(fixture->evlist.bpf_reason), "R5 !read_ok");
	bench_begin(fixture->bench);
	fixture->bench->observer->describe(fixture->bench->state, false, &notes);
	assert_string_equal(
		notes.notes[notes.n - 1].text,
		"--follow: all memory is read after its sample, because this kernel has "
		"no BPF program read it at the sample: Permission denied (the kernel's "
		"verifier: R5 !read_ok).");
	recording_notes_deinit(&notes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_is_answered_becomes_a_record_of_the_sample),
		TEST(a_sample_that_needed_nothing_has_no_record),
		TEST(what_is_not_answered_in_its_round_is_too_late),
		TEST(malformed_answers_are_not_recorded),
		TEST(without_the_other_process_it_goes_on_and_says_so),
		TEST(new_mappings_of_a_process_are_told_with_its_next_sample),
		TEST(what_profiles_is_not_followed),
		TEST(what_was_found_is_said),
		TEST(why_the_kernel_reads_nothing_is_said_in_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
