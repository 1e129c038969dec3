/* Epochs are read as they were written; what cannot be epochs is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

static struct profile *profile_with_processes(unsigned n)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(profile_add_process(profile, (int32_t)i, "program"), i);
	return profile;
}

/* Process i has i epochs; some have the files of others. */
static struct profile *make_profile(unsigned n_processes)
{
	struct profile *profile = profile_with_processes(n_processes);
	char text[32];

	for (unsigned i = 0; i < n_processes; i++) {
		struct epoch_list *list = &profile->processes[i].epochs;

		for (unsigned k = 0; k < i; k++) {
			const uint64_t first_ns = 1000000 + 5000ull * k;
			const struct epoch epoch = { .first_ns = first_ns,
						     .loaded_ns = first_ns - 7ull * k,
						     .end_ns = first_ns + i,
						     .n_files = k };

			snprintf(text, sizeof(text), "lib%u.so/b", i * k % 5);
			assert_int_equal(epochs_begin(&profile->epochs, list, &epoch, text), 0);
		}
	}
	profile->epochs.n_left_out = 3;
	return profile;
}

static int read_epochs(const struct byte_buffer *written, size_t size, unsigned n_processes,
		       struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, written->bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_with_processes(n_processes);
	int err = epochs_part_read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void expect_equal_lists(const struct profile *a, const struct profile *b, unsigned process)
{
	const struct epoch_list *x = &a->processes[process].epochs;
	const struct epoch_list *y = &b->processes[process].epochs;

	assert_int_equal(x->n, y->n);
	for (uint32_t i = 0; i < x->n; i++) {
		assert_int_equal(x->epochs[i].first_ns, y->epochs[i].first_ns);
		assert_int_equal(x->epochs[i].loaded_ns, y->epochs[i].loaded_ns);
		assert_int_equal(x->epochs[i].n_files, y->epochs[i].n_files);
		assert_string_equal(epoch_files(&a->epochs, x, i), epoch_files(&b->epochs, y, i));
		assert_int_equal(epoch_end_ns(x, i), epoch_end_ns(y, i));
	}
}

static void epochs_are_read_as_they_were_written(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 10; n++) {
		struct profile *written = make_profile(n), *read;
		struct byte_buffer body = { 0 };

		epochs_part_write(&body, written);
		assert_false(body.lacks_memory);
		assert_int_equal(read_epochs(&body, body.size, n, &read), 0);
		assert_int_equal(read->epochs.n, written->epochs.n);
		assert_int_equal(read->epochs.n_most, written->epochs.n_most);
		assert_int_equal(read->epochs.n_left_out, 3);
		for (unsigned i = 0; i < n; i++)
			expect_equal_lists(read, written, i);
		byte_buffer_deinit(&body);
		profile_destroy(written);
		profile_destroy(read);
	}
}

static void texts_that_no_process_needs_are_not_written(void **state)
{
	struct profile *written = profile_with_processes(1), *read;
	struct epoch_list other = { .n = 0 };
	const struct epoch epoch = { .first_ns = 2, .loaded_ns = 2, .n_files = 1 };
	struct byte_buffer body = { 0 };

	(void)state;
	assert_int_equal(epochs_begin(&written->epochs, &other, &epoch, "other"), 0);
	assert_int_equal(
		epochs_begin(&written->epochs, &written->processes[0].epochs, &epoch, "program"),
		0);
	epochs_part_write(&body, written);
	assert_int_equal(read_epochs(&body, body.size, 1, &read), 0);
	assert_int_equal(read->epochs.at_start.n_strings, 1);
	expect_equal_lists(read, written, 0);
	epoch_list_deinit(&other);
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(read);
}

static void assert_in_order(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		const struct epoch_list *list = &profile->processes[i].epochs;

		for (uint32_t k = 0; k < list->n; k++) {
			assert_true(list->epochs[k].loaded_ns <= list->epochs[k].first_ns);
			assert_true(!k || list->epochs[k].first_ns > list->epochs[k - 1].first_ns);
			assert_non_null(epoch_files(&profile->epochs, list, k));
			assert_true(epoch_end_ns(list, k) >= list->epochs[k].loaded_ns);
		}
	}
}

static void epochs_that_were_cut_or_changed_are_refused_or_in_order(void **state)
{
	struct profile *written = make_profile(6), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	epochs_part_write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_epochs(&body, size, 6, &read), 0);
		profile_destroy(read);
	}
	for (size_t i = 0; i < body.size; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			body.bytes[i] ^= (uint8_t)(1u << bit);
			if (read_epochs(&body, body.size, 6, &read) == 0)
				assert_in_order(read);
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
		cmocka_unit_test(epochs_are_read_as_they_were_written),
		cmocka_unit_test(texts_that_no_process_needs_are_not_written),
		cmocka_unit_test(epochs_that_were_cut_or_changed_are_refused_or_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
