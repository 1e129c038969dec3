/* Phases are read as they were written; what cannot be phases is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

static struct profile *make_profile(unsigned n)
{
	struct profile *profile = profile_create();
	char name[32];

	assert_non_null(profile);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "phase %u", i);
		assert_int_equal(phases_mark(&profile->phases, i % 3 == 2 ? "" : name,
					     1000000 + 777ull * (i + i % 2)),
				 0);
	}
	return profile;
}

static int read_phases(const uint8_t *bytes, size_t size, struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_create();
	assert_non_null(*profile_ret);
	int err = phases_part_read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void phases_are_read_as_they_were_written(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 20; n++) {
		struct profile *written = make_profile(n), *read;
		struct byte_buffer body = { 0 };

		phases_part_write(&body, written);
		assert_int_equal(read_phases(body.bytes, body.size, &read), 0);
		assert_int_equal(read->phases.n, written->phases.n);
		for (uint32_t i = 0; i < read->phases.n; i++) {
			const struct phase *a = &read->phases.phases[i];
			const struct phase *b = &written->phases.phases[i];

			assert_string_equal(a->name, b->name);
			assert_int_equal(a->start_ns, b->start_ns);
			assert_int_equal(a->end_ns, b->end_ns);
		}
		byte_buffer_deinit(&body);
		profile_destroy(written);
		profile_destroy(read);
	}
}

static void assert_in_order(const struct phases *phases)
{
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < phases->n; i++) {
		const struct phase *phase = &phases->phases[i];

		assert_true(*phase->name);
		assert_true(phase->start_ns >= last_ns);
		assert_true(phase->end_ns ? phase->end_ns >= phase->start_ns : i + 1 == phases->n);
		last_ns = phase->end_ns;
	}
}

static void phases_that_were_cut_or_changed_are_refused_or_in_order(void **state)
{
	struct profile *written = make_profile(8), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	phases_part_write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_phases(body.bytes, size, &read), 0);
		profile_destroy(read);
	}
	for (size_t i = 0; i < body.size; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			body.bytes[i] ^= (uint8_t)(1u << bit);
			if (read_phases(body.bytes, body.size, &read) == 0)
				assert_in_order(&read->phases);
			profile_destroy(read);
			body.bytes[i] ^= (uint8_t)(1u << bit);
		}
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_are_read_as_they_were_written),
		cmocka_unit_test(phases_that_were_cut_or_changed_are_refused_or_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
