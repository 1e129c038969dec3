/* Execs in made-up recordings, and the dates of modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/replay/process_images.h"
#include "collector/replay/replay.h"
#include "tests/unit/fixtures/made_up_recording.h"

/* One event, whose samples have a user register and a stack. */
static int setup(void **state)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 1,
		.sample_stack_user = 64,
		.sample_period = 1,
		.sample_id_all = 1,
	};
	const struct data_writer_event event = { &attr, "cpu-clock", &recording_ids[0], 1 };
	const struct data_writer_options options = { 0 };

	assert_non_null(recording);
	recording->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(
		data_writer_create(recording->fd, &options, &event, 1, NULL, 0, &recording->writer),
		0);
	*state = recording;
	return 0;
}

static int teardown(void **state)
{
	recording_destroy(*state);
	return 0;
}

static void put_comm(struct recording *recording, int32_t pid, bool is_exec)
{
	struct builder *b = &recording->records;

	begin_record(b, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_pair(b, (uint32_t)pid, (uint32_t)pid);
	put_string(b, "x");
	put_pair(b, (uint32_t)pid, (uint32_t)pid); /* sample_id: TID, TIME, IDENTIFIER */
	put_u64(b, ++recording->time_ns);
	put_u64(b, CYCLES_ID);
	end_record(b);
}

/* Of thread PID of process PID, in the kernel, where the stack was there or was not. */
static void put_in_kernel(struct recording *recording, bool has_stack)
{
	struct builder *b = &recording->records;

	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put_u64(b, CYCLES_ID);
	put_u64(b, 0xffffffff81000000);
	put_pair(b, PID, PID);
	put_u64(b, ++recording->time_ns);
	put_u64(b, PERF_SAMPLE_REGS_ABI_64);
	put_u64(b, 7);
	put_u64(b, has_stack ? 64 : 0);
	if (has_stack) {
		put_zeros(b, 64);
		put_u64(b, 64);
	}
	end_record(b);
}

/* Memory of the process, so that its samples' stacks count. */
static void put_mapping(struct recording *recording)
{
	struct builder *b = &recording->records;

	begin_record(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	put_pair(b, PID, PID);
	put_u64(b, 0x1000);
	put_u64(b, 0x1000);
	put_u64(b, 0);
	put_string(b, "/program");
	put_pair(b, PID, PID);
	put_u64(b, ++recording->time_ns);
	put_u64(b, CYCLES_ID);
	end_record(b);
}

/* Whether each sample of the recording is in an exec: "+" or "-". */
static void check(struct recording *recording, const char *expected)
{
	struct replay *replay = NULL;
	struct sample sample;
	char path[64], got[16] = "", *error = NULL;

	recording_finish(recording, NULL, path);
	assert_int_equal(replay_open(path, NULL, NULL, &replay, &error), 0);
	while (replay_next(replay, &sample) > 0) {
		assert_true(strlen(got) + 1 < sizeof(got));
		strcat(got, sample.is_in_exec ? "+" : "-");
		sample_deinit(&sample);
	}
	assert_string_equal(got, expected);
	replay_close(replay);
}

static void a_sample_without_a_stack_before_an_exec_is_in_it(void **state)
{
	put_mapping(*state);
	put_in_kernel(*state, false);
	put_in_kernel(*state, false);
	put_comm(*state, PID, true);
	check(*state, "++");
}

static void without_an_exec_a_missing_stack_means_nothing(void **state)
{
	put_mapping(*state);
	put_in_kernel(*state, false);
	put_comm(*state, PID, false);
	check(*state, "-");
}

static void an_exec_of_another_process_means_nothing(void **state)
{
	put_mapping(*state);
	put_in_kernel(*state, false);
	put_comm(*state, PID + 1, true);
	check(*state, "-");
}

static void a_thread_that_uses_its_stack_before_the_exec_was_not_in_it(void **state)
{
	put_mapping(*state);
	put_in_kernel(*state, false);
	put_in_kernel(*state, true);
	put_comm(*state, PID, true);
	check(*state, "--");
}

static void an_exec_goes_on_after_its_record_until_there_is_a_stack(void **state)
{
	put_mapping(*state);
	put_comm(*state, PID, true);
	put_in_kernel(*state, false);
	put_mapping(*state);
	put_in_kernel(*state, true);
	put_in_kernel(*state, false);
	check(*state, "+--");
}

static struct module *add_module(struct profile *profile, const char *path, uint64_t mapped_ns)
{
	struct module_key key = { .kind = MODULE_ELF, .path = path };
	uint32_t id = module_table_add(&profile->modules, &key);
	struct module *module = module_table_get(&profile->modules, id);

	assert_non_null(module);
	module->located.mapped_ns = mapped_ns;
	return module;
}

static void modules_are_dated_back_from_the_end(void **state)
{
	const uint64_t s = 1000000000;
	struct profile *profile = profile_create();
	struct module *mapped = add_module(profile, "/mapped", 97 * s);
	struct module *before = add_module(profile, "/before", 0);
	struct module *after = add_module(profile, "/after", 101 * s);

	(void)state;
	profile->info.start_ns = 90 * s;
	process_images_date(profile, 100 * s, 0);
	assert_int_equal(mapped->located.mapped, 0);
	process_images_date(profile, 100 * s, 5000);
	assert_int_equal(mapped->located.mapped, 4997);
	assert_int_equal(before->located.mapped, 4990);
	assert_int_equal(after->located.mapped, 0);
	profile_destroy(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_without_a_stack_before_an_exec_is_in_it),
		TEST(without_an_exec_a_missing_stack_means_nothing),
		TEST(an_exec_of_another_process_means_nothing),
		TEST(a_thread_that_uses_its_stack_before_the_exec_was_not_in_it),
		TEST(an_exec_goes_on_after_its_record_until_there_is_a_stack),
		cmocka_unit_test(modules_are_dated_back_from_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
