/* Phases and epochs of several runs are read as they were written; what cannot be some is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

#define N_RUNS      3
#define N_PROCESSES 3

struct part {
	void (*write)(struct byte_buffer *body, const struct profile *profile);
	int (*read)(struct dwarf_reader *body, struct profile *profile);
};

static const struct part phases_of_runs = { run_phases_part_write, run_phases_part_read };
static const struct part epochs_of_runs = { run_epochs_part_write, run_epochs_part_read };

static struct profile *profile_with_runs(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (int i = 0; i < N_PROCESSES; i++)
		assert_int_equal(profile_add_process(profile, i, "program"), i);
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	profile->rows->runs = calloc(N_RUNS, sizeof(*profile->rows->runs));
	assert_non_null(profile->rows->runs);
	profile->rows->n_runs = N_RUNS;
	return profile;
}

static void add_phase(struct profile *profile, uint32_t run, uint64_t start_ns, uint64_t end_ns)
{
	char name[] = "load";
	const struct phase phase = {
		.name = name, .start_ns = start_ns, .end_ns = end_ns, .run = run
	};

	assert_int_equal(phases_add(&profile->phases, &phase), 0);
}

static void add_epoch(struct profile *profile, uint32_t process, uint32_t run, uint64_t first_ns,
		      uint32_t number)
{
	const struct epoch epoch = { .first_ns = first_ns,
				     .loaded_ns = first_ns - 7ull * run,
				     .n_files = number,
				     .number = number,
				     .run = run,
				     .end_ns = first_ns + 300 };

	assert_int_equal(epochs_add(&profile->epochs, &profile->processes[process].epochs, &epoch,
				    number % 2 ? "a/b" : "c"),
			 0);
}

/* Run 1 has nothing; profiles of run 2 disagree. The second process has two images in run 0. */
static struct profile *make_profile(void)
{
	struct profile *profile = profile_with_runs();

	add_phase(profile, 0, 5000, 0);
	add_phase(profile, 2, 1000, 9000);
	add_phase(profile, 2, 1000, 7000);
	add_phase(profile, 0, 4000, 5000);
	phases_sort(&profile->phases);
	add_epoch(profile, 0, 2, 900, 1);
	add_epoch(profile, 1, 0, 1000, 1);
	add_epoch(profile, 1, 0, 1700, 2);
	add_epoch(profile, 1, 0, 9000, 1);
	add_epoch(profile, 1, 0, 9500, 2);
	add_epoch(profile, 1, 2, 300, 1);
	for (uint32_t i = 0; i < N_PROCESSES; i++)
		epochs_sort(&profile->epochs, &profile->processes[i].epochs);
	profile->epochs.n_left_out = 4;
	return profile;
}

static int read_part(const struct part *part, const struct byte_buffer *written, size_t size,
		     struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, written->bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_with_runs();
	int err = part->read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void phases_are_read_as_they_were_written(void **state)
{
	struct profile *written = make_profile(), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	run_phases_part_write(&body, written);
	assert_int_equal(read_part(&phases_of_runs, &body, body.size, &read), 0);
	assert_int_equal(read->phases.n, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(
			phases_compare(&read->phases.phases[i], &written->phases.phases[i]), 0);
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(read);
}

static void epochs_are_read_as_they_were_written(void **state)
{
	struct profile *written = make_profile(), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	run_epochs_part_write(&body, written);
	assert_int_equal(read_part(&epochs_of_runs, &body, body.size, &read), 0);
	assert_int_equal(read->epochs.n, 6);
	assert_int_equal(read->epochs.n_most, 2);
	assert_int_equal(read->epochs.n_left_out, 4);
	for (uint32_t i = 0; i < N_PROCESSES; i++) {
		const struct epoch_list *x = &written->processes[i].epochs;
		const struct epoch_list *y = &read->processes[i].epochs;

		assert_int_equal(x->n, y->n);
		for (uint32_t k = 0; k < x->n; k++) {
			assert_int_equal(x->epochs[k].first_ns, y->epochs[k].first_ns);
			assert_int_equal(x->epochs[k].loaded_ns, y->epochs[k].loaded_ns);
			assert_int_equal(x->epochs[k].run, y->epochs[k].run);
			assert_int_equal(epoch_number(x, k), epoch_number(y, k));
			assert_int_equal(epoch_end_ns(x, k), epoch_end_ns(y, k));
			assert_string_equal(epoch_files(&written->epochs, x, k),
					    epoch_files(&read->epochs, y, k));
		}
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(read);
}

static void assert_in_order(struct profile *profile)
{
	const struct phases *phases = &profile->phases;

	for (uint32_t i = 0; i < phases->n; i++) {
		assert_true(phases->phases[i].run < N_RUNS);
		assert_true(!i || phases_compare(&phases->phases[i - 1], &phases->phases[i]) < 0);
	}
	for (uint32_t i = 0; i < N_PROCESSES; i++) {
		const struct epoch_list *list = &profile->processes[i].epochs;

		for (uint32_t k = 0; k < list->n; k++) {
			assert_true(list->epochs[k].run < N_RUNS && list->epochs[k].number);
			assert_true(list->epochs[k].loaded_ns <= list->epochs[k].first_ns);
			assert_true(!k || epochs_compare(&profile->epochs, &list->epochs[k - 1],
							 &list->epochs[k]) < 0);
		}
	}
}

static void check_damage(const struct part *part)
{
	struct profile *written = make_profile(), *read;
	struct byte_buffer body = { 0 };

	part->write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_part(part, &body, size, &read), 0);
		profile_destroy(read);
	}
	for (size_t i = 0; i < body.size * 8; i++) {
		body.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		if (read_part(part, &body, body.size, &read) == 0)
			assert_in_order(read);
		profile_destroy(read);
		body.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
}

static void what_was_cut_or_changed_is_refused_or_in_order(void **state)
{
	(void)state;
	check_damage(&phases_of_runs);
	check_damage(&epochs_of_runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_are_read_as_they_were_written),
		cmocka_unit_test(epochs_are_read_as_they_were_written),
		cmocka_unit_test(what_was_cut_or_changed_is_refused_or_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
