/* Code that no file holds is read from a living process: this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/observers/code_reader.h"
#include "perf/file/data_file.h"
#include "perf/records/code_record.h"
#include "tests/unit/fixtures/emulated.h"

struct bench {
	struct code_reader *reader;
	struct data_writer *writer;
	int fd;
	uint8_t *code; /* two pages */
};

static uint64_t addr_of(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static struct bench *bench_create(void)
{
	static const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						     .size = PERF_ATTR_SIZE_VER7 };
	static const uint64_t id = 1;
	const struct data_writer_event event = { &attr, "cpu-clock", &id, 1 };
	const struct data_writer_options options = { .compression_level = 0 };
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->reader = code_reader_create();
	assert_non_null(bench->reader);
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	bench->code = mmap(NULL, 2 * CODE_PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(bench->code, MAP_FAILED);
	memset(bench->code, 0x90, 2 * CODE_PAGE_SIZE);
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	munmap(bench->code, 2 * CODE_PAGE_SIZE);
	code_reader_destroy(bench->reader);
	data_writer_destroy(bench->writer);
	close(bench->fd);
	free(bench);
}

static void see_mapping(struct bench *bench, const char *name, uint32_t prot)
{
	struct record record = { .type = PERF_RECORD_MMAP2 };
	struct observed_mapping mapping;

	record.mmap.pid = getpid();
	record.mmap.addr = addr_of(bench->code);
	record.mmap.len = 2 * CODE_PAGE_SIZE;
	record.mmap.prot = prot;
	record.mmap.filename = name;
	assert_true(observed_mapping_from_record(&record, &mapping));
	code_reader_observer.see_new_mapping(bench->reader, &mapping);
}

static void end_round(struct bench *bench)
{
	assert_int_equal(code_reader_end_round(bench->reader, bench->writer), 0);
}

static void sample(struct bench *bench, size_t at)
{
	code_reader_see_sample(bench->reader, getpid(), addr_of(bench->code) + at);
}

/* What was recorded: full pages, and how many were as before. */
static size_t count_records(struct bench *bench, size_t *n_same_ret)
{
	struct code_record code;
	struct raw_record raw;
	struct data_file *file;
	char path[64], *error = NULL;
	size_t n_full = 0;

	*n_same_ret = 0;
	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) > 0) {
		if (code_record_is_type(raw.header)) {
			assert_true(code_record_decode(raw.header, &code));
			n_full += code.header.size > 0;
			*n_same_ret += code.header.size == 0;
		}
		data_block_unref(raw.block);
	}
	data_file_close(file);
	return n_full;
}

static void both_pages_are_read_once_while_they_stay_the_same(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct bench *bench = bench_create();
	size_t n_same;

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	assert_true(code_reader_has_process(bench->reader, getpid()));
	for (int round = 0; round < 3; round++) {
		sample(bench, 100);
		sample(bench, 200);
		end_round(bench);
	}
	end_round(bench);
	assert_int_equal(count_records(bench, &n_same), 2);
	assert_int_equal(n_same, 4);
	assert_int_equal(code_reader_stats(bench->reader)->n_pages, 2);
	assert_int_equal(code_reader_stats(bench->reader)->n_missed, 0);
	bench_destroy(bench);
}

static void pages_that_return_addresses_point_into_are_read(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct bench *bench = bench_create();
	size_t n_same;

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	const uint64_t end = addr_of(bench->code) + 2 * CODE_PAGE_SIZE;
	/* The last of them follows a call at the end of the second page. */
	const uint64_t words[] = { addr_of(bench->code), end + 1, 0, 7, end };

	code_reader_see_stack(bench->reader, getpid(), words, sizeof(words) - 8);
	end_round(bench);
	assert_int_equal(code_reader_stats(bench->reader)->n_pages, 0);
	code_reader_see_stack(bench->reader, getpid() + 1, words, sizeof(words));
	end_round(bench);
	assert_int_equal(code_reader_stats(bench->reader)->n_pages, 0);
	code_reader_see_stack(bench->reader, getpid(), words, sizeof(words));
	sample(bench, CODE_PAGE_SIZE + 5);
	end_round(bench);
	assert_int_equal(count_records(bench, &n_same), 1);
	assert_int_equal(n_same, 0);
	assert_int_equal(code_reader_stats(bench->reader)->n_missed, 0);
	bench_destroy(bench);
}

static void a_word_on_the_stack_that_leads_to_no_memory_is_not_missed(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct bench *bench = bench_create();

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	assert_int_equal(mprotect(bench->code, CODE_PAGE_SIZE, PROT_NONE), 0);
	const uint64_t word = addr_of(bench->code) + 100;

	code_reader_see_stack(bench->reader, getpid(), &word, sizeof(word));
	end_round(bench);
	assert_int_equal(code_reader_stats(bench->reader)->n_missed, 0);
	assert_int_equal(code_reader_stats(bench->reader)->n_pages, 1);
	bench_destroy(bench);
}

static void a_page_that_changed_is_recorded_again(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct bench *bench = bench_create();
	size_t n_same;

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	sample(bench, 100);
	end_round(bench);
	bench->code[4000]++;
	sample(bench, 100);
	end_round(bench);
	assert_int_equal(count_records(bench, &n_same), 3);
	assert_int_equal(n_same, 1);
	bench_destroy(bench);
}

static void code_of_files_and_data_are_not_read(void **state)
{
	struct bench *bench = bench_create();
	size_t n_same;

	(void)state;
	see_mapping(bench, "/usr/bin/env", PROT_READ | PROT_EXEC);
	see_mapping(bench, "//anon", PROT_READ);
	assert_false(code_reader_has_process(bench->reader, getpid()));
	sample(bench, 100);
	end_round(bench);
	assert_int_equal(count_records(bench, &n_same), 0);
	bench_destroy(bench);
}

static void memory_that_is_gone_is_counted(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct bench *bench = bench_create();

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	assert_int_equal(mprotect(bench->code, CODE_PAGE_SIZE, PROT_NONE), 0);
	sample(bench, 100);
	end_round(bench);
	assert_int_equal(code_reader_stats(bench->reader)->n_missed, 1);
	assert_int_equal(code_reader_stats(bench->reader)->n_pages, 1);
	bench_destroy(bench);
}

static void fork_copies_and_exec_and_exit_drop(void **state)
{
	struct bench *bench = bench_create();
	struct record fork = { .type = PERF_RECORD_FORK }, exec = { .type = PERF_RECORD_COMM },
		      gone = { .type = PERF_RECORD_EXIT };

	(void)state;
	see_mapping(bench, "//anon", PROT_READ | PROT_EXEC);
	fork.task.ppid = getpid();
	fork.task.pid = exec.comm.pid = 4000001;
	exec.comm.is_exec = true;
	code_reader_see_record(bench->reader, &fork);
	assert_true(code_reader_has_process(bench->reader, 4000001));
	code_reader_see_record(bench->reader, &exec);
	assert_false(code_reader_has_process(bench->reader, 4000001));
	gone.task.pid = gone.task.tid = getpid();
	code_reader_see_record(bench->reader, &gone);
	assert_false(code_reader_has_process(bench->reader, getpid()));
	bench_destroy(bench);
}

/* The rings of two processors, read one after the other. */
static void an_exec_that_is_read_late_drops_what_was_there_before_it(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct bench *bench = bench_create();
		struct record late = { .type = types[i], .has_time = true };

		if (late.type == PERF_RECORD_COMM) {
			late.comm.pid = getpid();
			late.comm.is_exec = true;
		} else {
			late.task.pid = late.task.tid = getpid();
			late.task.ppid = 1;
		}
		code_reader_see_mapping(bench->reader, getpid(), 0x1000, 0x2000, 10);
		code_reader_see_mapping(bench->reader, getpid(), 0x8000, 0x9000, 30);
		late.time_ns = 20;
		code_reader_see_record(bench->reader, &late);
		assert_true(code_reader_has_process(bench->reader, getpid()));
		late.time_ns = 30;
		code_reader_see_record(bench->reader, &late);
		assert_false(code_reader_has_process(bench->reader, getpid()));
		bench_destroy(bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_pages_are_read_once_while_they_stay_the_same),
		cmocka_unit_test(pages_that_return_addresses_point_into_are_read),
		cmocka_unit_test(a_word_on_the_stack_that_leads_to_no_memory_is_not_missed),
		cmocka_unit_test(a_page_that_changed_is_recorded_again),
		cmocka_unit_test(code_of_files_and_data_are_not_read),
		cmocka_unit_test(memory_that_is_gone_is_counted),
		cmocka_unit_test(fork_copies_and_exec_and_exit_drop),
		cmocka_unit_test(an_exec_that_is_read_late_drops_what_was_there_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
