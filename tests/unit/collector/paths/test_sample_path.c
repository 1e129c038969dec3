/* Paths of samples that carry no stack: what the kernel and the processor recorded of callers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/session/dendro.h"
#include "tests/unit/fixtures/made_up_recording.h"

#define CALL_STACK                                                                               \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS | \
	 PERF_SAMPLE_BRANCH_NO_CYCLES)
#define K_CONTEXT ((uint64_t)PERF_CONTEXT_KERNEL)
#define U_CONTEXT ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL    0xffffffff81000000

struct made_up_sample {
	uint64_t callchain[8];
	size_t n_callchain;
	struct perf_branch_entry branches[4];
	size_t n_branches;
	uint16_t cpu_mode;
};

struct path {
	struct recording *recording;
	struct dendro *dendro;
	const struct sample *sample;
};

static struct recording *create(uint64_t sample_type, uint64_t branch_type)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | sample_type,
		.branch_sample_type = branch_type,
		.sample_id_all = 1,
	};
	const struct data_writer_options options = { .compression_level = 0 };
	const struct data_writer_event event = { &attr, "cpu-clock", recording_ids, 1 };

	assert_non_null(recording);
	recording->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(
		data_writer_create(recording->fd, &options, &event, 1, NULL, 0, &recording->writer),
		0);
	return recording;
}

/* The path of one sample. */
static struct path resolve(uint64_t sample_type, uint64_t branch_type,
			   const struct made_up_sample *made_up)
{
	struct path path = { .recording = create(sample_type, branch_type) };
	struct builder *b = &path.recording->records;
	char name[64], *error = NULL;

	put_head(path.recording, CYCLES_ID,
		 made_up->cpu_mode == PERF_RECORD_MISC_KERNEL ? KERNEL : 0x1000, PID);
	b->bytes[b->record + 4] = (uint8_t)made_up->cpu_mode;
	put_u64(b, 1); /* the period */
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(b, made_up->n_callchain);
		put_bytes(b, made_up->callchain, made_up->n_callchain * sizeof(uint64_t));
	}
	if (sample_type & PERF_SAMPLE_BRANCH_STACK) {
		put_u64(b, made_up->n_branches);
		put_bytes(b, made_up->branches, made_up->n_branches * sizeof(made_up->branches[0]));
	}
	end_record(b);
	recording_finish(path.recording, NULL, name);
	assert_int_equal(dendro_open(&(struct dendro_source){ .path = name },
				     &(struct dendro_options){ 0 }, &path.dendro, &error),
			 0);
	assert_int_equal(dendro_next(path.dendro, &path.sample), 1);
	return path;
}

static void expect_user(const struct path *path, enum user_half half, const uint64_t *offsets,
			size_t n)
{
	const struct call_path *found = &path->sample->path;

	assert_int_equal(found->user_half, half);
	assert_int_equal(found->n_user, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(found->user_frames[i].offset, offsets[i]);
}

static void done(struct path *path)
{
	dendro_close(path->dendro);
	recording_destroy(path->recording);
}

static void callers_of_callchains_are_looked_up_before_their_return_address(void **state)
{
	static const struct made_up_sample sample = {
		.callchain = { K_CONTEXT, KERNEL, KERNEL + 0x100, U_CONTEXT, 0x1000, 0x2000, 0 },
		.n_callchain = 7,
		.cpu_mode = PERF_RECORD_MISC_KERNEL,
	};
	struct path path = resolve(PERF_SAMPLE_CALLCHAIN, 0, &sample);

	(void)state;
	expect_user(&path, USER_UNVERIFIED, (const uint64_t[]){ 0x1000, 0x1fff }, 2);
	assert_int_equal(path.sample->path.user_addrs[1], 0x2000);
	assert_int_equal(path.sample->path.n_kernel, 2);
	assert_int_equal(path.sample->path.kernel_frames[1].offset, KERNEL + 0xff);
	assert_int_equal(path.sample->path.kernel_addrs[1], KERNEL + 0x100);
	done(&path);
}

static void a_call_stack_of_the_processor_replaces_frame_pointers(void **state)
{
	static const struct made_up_sample sample = {
		.callchain = { U_CONTEXT, 0x1000, 0x3ff581e4da4d76b0 },
		.n_callchain = 3,
		.branches = { { .from = 0x2000, .to = 0xff0 }, { .from = 0x3000, .to = 0x1ff0 } },
		.n_branches = 2,
		.cpu_mode = PERF_RECORD_MISC_USER,
	};
	const uint64_t type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	struct path path = resolve(type, CALL_STACK, &sample);

	(void)state;
	expect_user(&path, USER_BRANCHES, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 }, 3);
	done(&path);
	/* Branches of other kinds are not callers. */
	path = resolve(type, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, &sample);
	expect_user(&path, USER_UNVERIFIED, (const uint64_t[]){ 0x1000, 0x3ff581e4da4d76af }, 2);
	done(&path);
}

static void a_call_stack_alone_begins_where_the_last_call_went(void **state)
{
	static const struct made_up_sample sample = {
		.callchain = { K_CONTEXT, KERNEL },
		.n_callchain = 2,
		.branches = { { .from = 0x2000, .to = 0xff0 }, { .from = 0 } },
		.n_branches = 2,
		.cpu_mode = PERF_RECORD_MISC_KERNEL,
	};
	struct path path =
		resolve(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, CALL_STACK, &sample);

	(void)state;
	expect_user(&path, USER_BRANCHES, (const uint64_t[]){ 0xff0, 0x2000 }, 2);
	assert_int_equal(path.sample->path.n_kernel, 1);
	done(&path);
}

static void an_empty_call_stack_leaves_the_callchain(void **state)
{
	static const struct made_up_sample sample = { .callchain = { U_CONTEXT, 0x1000 },
						      .n_callchain = 2,
						      .cpu_mode = PERF_RECORD_MISC_USER };
	struct path path =
		resolve(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, CALL_STACK, &sample);

	(void)state;
	expect_user(&path, USER_UNVERIFIED, (const uint64_t[]){ 0x1000 }, 1);
	done(&path);
}

static void an_event_without_callers_loses_nothing(void **state)
{
	static const struct made_up_sample user = { .cpu_mode = PERF_RECORD_MISC_USER },
					   kernel = { .cpu_mode = PERF_RECORD_MISC_KERNEL };
	struct path path = resolve(0, 0, &user);

	(void)state;
	expect_user(&path, USER_FLAT, (const uint64_t[]){ 0x1000 }, 1);
	assert_int_equal(path.sample->path.n_frames, 1);
	done(&path);
	path = resolve(0, 0, &kernel);
	expect_user(&path, USER_FLAT, NULL, 0);
	assert_int_equal(path.sample->path.n_frames, 1);
	assert_int_equal(path.sample->path.frames[0].kind, FRAME_KERNEL);
	done(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_of_callchains_are_looked_up_before_their_return_address),
		cmocka_unit_test(a_call_stack_of_the_processor_replaces_frame_pointers),
		cmocka_unit_test(a_call_stack_alone_begins_where_the_last_call_went),
		cmocka_unit_test(an_empty_call_stack_leaves_the_callchain),
		cmocka_unit_test(an_event_without_callers_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
