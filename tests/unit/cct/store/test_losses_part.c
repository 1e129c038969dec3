/* Losses are read as they were written; what cannot be losses is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

static const struct loss losses[] = {
	{ LOSS_OF_SAMPLES, 0, 1000, 2000, 7 },
	{ LOSS_BY_THROTTLING, 255, 1500, 1500, 1 },
	{ LOSS_OF_SAMPLES, LOSS_NO_CPU, 400, UINT64_MAX, UINT64_MAX },
	{ LOSS_BY_THROTTLING, LOSS_NO_CPU - 1, UINT64_MAX, UINT64_MAX, 3 },
};

static struct profile *make_profile(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		assert_int_equal(losses_add(&profile->info.losses, &losses[i]), 0);
	return profile;
}

static int read_losses(const uint8_t *bytes, size_t size, struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_create();
	assert_non_null(*profile_ret);
	int err = losses_part_read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void losses_are_read_as_they_were_written(void **state)
{
	struct profile *written = make_profile(), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	losses_part_write(&body, written);
	assert_int_equal(read_losses(body.bytes, body.size, &read), 0);
	assert_int_equal(read->info.losses.n, written->info.losses.n);
	for (size_t i = 0; i < read->info.losses.n; i++) {
		const struct loss *loss = &read->info.losses.losses[i];

		assert_int_equal(loss->kind, losses[i].kind);
		assert_int_equal(loss->cpu, losses[i].cpu);
		assert_int_equal(loss->start_ns, losses[i].start_ns);
		assert_int_equal(loss->end_ns, losses[i].end_ns);
		assert_int_equal(loss->n, losses[i].n);
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(read);
}

static void losses_that_were_cut_or_changed_are_refused_or_possible(void **state)
{
	struct profile *written = make_profile(), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	losses_part_write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_losses(body.bytes, size, &read), 0);
		profile_destroy(read);
	}
	for (size_t bit = 0; bit < 8 * body.size; bit++) {
		body.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		read_losses(body.bytes, body.size, &read);
		for (size_t i = 0; i < read->info.losses.n; i++) {
			const struct loss *loss = &read->info.losses.losses[i];

			assert_true(loss->start_ns <= loss->end_ns);
			assert_in_range(loss->kind, 0, LOSS_BY_THROTTLING);
		}
		profile_destroy(read);
		body.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_read_as_they_were_written),
		cmocka_unit_test(losses_that_were_cut_or_changed_are_refused_or_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
