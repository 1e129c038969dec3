#include <zstd.h>

#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void compressed_records_are_expanded_whatever_their_borders(void **state)
{
	static const size_t steps[] = { 1, 7, 48, 100, 4096, 1 << 20 };
	static const uint32_t types[] = { RECORD_COMPRESSED, RECORD_COMPRESSED2 };
	static const ZSTD_EndDirective directives[] = { ZSTD_e_flush, ZSTD_e_end };

	(void)state;
	for (size_t i = 0; i < 6 * 2 * 2; i++) {
		struct builder b = two_events_in_a_pipe(), inner = { 0 };
		for (uint64_t ip = 0; ip < 50; ip++)
			put_sample(&inner, 1 + ip % 3, ip);
		put_compressed(&b, &inner, steps[i / 4], types[i / 2 % 2], directives[i % 2]);
		put_sample(&b, 3, 1); /* plain again */
		free(inner.bytes);
		struct data_file *file = open_built(&b);
		check_two_events(file, 34, 17);
		assert_true(data_file_info(file)->is_compressed);
		data_file_close(file);
	}
}

static void large_compressed_recordings_pass_through_many_blocks(void **state)
{
	struct builder b = two_events_in_a_pipe(), inner = { 0 };

	(void)state;
	for (uint64_t ip = 0; ip < 100000; ip++)
		put_sample(&inner, 1, ip);
	put_compressed(&b, &inner, 1 << 19, RECORD_COMPRESSED, ZSTD_e_flush);
	free(inner.bytes);
	struct data_file *file = open_built(&b);
	check_two_events(file, 100000, 0);
	data_file_close(file);
}

static void corrupt_compressed_records_are_named(void **state)
{
	static const uint8_t no_zstd[16] = "this is not zstd";
	struct builder b, inner = { 0 };
	size_t offset;

	(void)state;
	b = two_events_in_a_pipe();
	put_sample(&b, 1, 1);
	offset = b.size;
	put_payload(&b, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	check_corrupt(&b, 1, "can't be expanded", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	begin_record(&b, RECORD_COMPRESSED2, 0);
	put_u64(&b, 1000);
	end_record(&b);
	check_corrupt(&b, 0, "longer than the record", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	put_payload(&inner, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	put_compressed(&b, &inner, 1 << 20, RECORD_COMPRESSED, ZSTD_e_end);
	free(inner.bytes);
	check_corrupt(&b, 0, "another compressed record", offset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records_are_expanded_whatever_their_borders),
		cmocka_unit_test(large_compressed_recordings_pass_through_many_blocks),
		cmocka_unit_test(corrupt_compressed_records_are_named),
	};

	return cmocka_run_group_tests_name("data_inflate", tests, NULL, NULL);
}
