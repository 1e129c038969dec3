/* The list of the build IDs of mapped files, at the end of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/record/observers/build_ids.h"
#include "tests/unit/fixtures/observed_bench.h"

static void see(struct observed_bench *bench, const char *path, uint8_t id, bool is_data)
{
	struct record record = { .type = PERF_RECORD_MMAP2,
				 .mmap = { .pid = 1,
					   .addr = 0x1000,
					   .len = 0x1000,
					   .filename = path,
					   .prot = is_data ? PROT_READ : PROT_READ | PROT_EXEC,
					   .build_id_size = id ? 20 : 0 } };

	memset(record.mmap.build_id, id, sizeof(record.mmap.build_id));
	bench_see_mapping(bench, &record);
}

static void expect(const struct observed_bench *bench, size_t index, const char *path, uint8_t id)
{
	const struct data_file_build_id *listed = data_file_build_id(bench->file, index);

	assert_string_equal(listed->path, path);
	assert_int_equal(listed->size, 20);
	assert_int_equal(listed->bytes[19], id);
}

static void each_file_is_listed_once_with_each_of_its_build_ids(void **state)
{
	struct observed_bench *bench = bench_create(&build_ids_observer);
	struct build_id build_id = { .size = 20, .bytes = { [19] = 9 } };
	const struct observed_mapping early = { .path = "/bin/early", .is_code = true };

	(void)state;
	bench_begin(bench);
	bench->observer->see_mapping(bench->state, &early, &build_id);
	see(bench, "/bin/one", 1, false);
	see(bench, "/bin/two", 2, false);
	see(bench, "/bin/one", 1, false);
	see(bench, "/bin/one", 3, false);
	see(bench, "/bin/data", 4, true);
	see(bench, "/bin/unknown", 0, false);
	assert_int_equal(bench_finish(bench), 0);
	assert_int_equal(data_file_n_build_ids(bench->file), 4);
	expect(bench, 0, "/bin/early", 9);
	expect(bench, 1, "/bin/one", 1);
	expect(bench, 2, "/bin/two", 2);
	expect(bench, 3, "/bin/one", 3);
	bench_destroy(bench);
}

static void a_recording_without_files_has_no_list(void **state)
{
	struct observed_bench *bench = bench_create(&build_ids_observer);

	(void)state;
	bench_begin(bench);
	assert_int_equal(bench_finish(bench), 0);
	assert_int_equal(data_file_n_build_ids(bench->file), 0);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_listed_once_with_each_of_its_build_ids),
		cmocka_unit_test(a_recording_without_files_has_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
