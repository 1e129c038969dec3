/* What the header of a merged profile says: texts, times and gaps of the recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/base/sentence.h"
#include "cct/merge/merge_info.h"
#include "cct/model/profile.h"

/* A profile, whose description is merged. */
static int setup(void **state)
{
	*state = profile_create();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	profile_destroy(*state);
	return 0;
}

static void add(struct profile *into, struct profile *from)
{
	assert_int_equal(merge_info(&into->info, &from->info), 0);
	profile_destroy(from);
}

static void add_host(struct profile *into, const char *name)
{
	struct profile *from = profile_create();

	profile_set_string(&from->info.hostname, name);
	add(into, from);
}

static void different_texts_become_a_sorted_list(void **state)
{
	struct profile *profile = *state;

	add_host(profile, "oak");
	assert_string_equal(profile->info.hostname, "oak");
	add_host(profile, "oak");
	assert_string_equal(profile->info.hostname, "oak");
	add_host(profile, "elm");
	add_host(profile, NULL);
	add_host(profile, "oak");
	assert_string_equal(profile->info.hostname, "elm; oak");
	add_host(profile, "fir");
	assert_string_equal(profile->info.hostname, "elm; fir; oak");
	assert_null(profile->info.command_line);
}

static void add_command(struct profile *into, const char *command)
{
	struct profile *from = profile_create();

	profile_set_string(&from->info.command_line, command);
	add(into, from);
}

static void commands_stay_whole(void **state)
{
	struct profile *profile = *state;

	add_command(profile, "sh -c 'make; ./v; ./a'");
	add_command(profile, "ls");
	add_command(profile, "sh -c 'make; ./v; ./a'");
	add_command(profile, "ls; zip");
	assert_string_equal(profile->info.command_line, "ls; sh -c 'make; ./v; ./a'; zip");
}

static void many_texts_are_several(void **state)
{
	struct profile *profile = *state;

	for (int i = 0; i < 8; i++) {
		char *name = sentence("host%d", i);

		add_host(profile, name);
		free(name);
	}
	assert_string_equal(profile->info.hostname,
			    "host0; host1; host2; host3; host4; host5; host6; host7");
	add_host(profile, "host8");
	assert_string_equal(profile->info.hostname, "several");
	add_host(profile, "host0");
	assert_string_equal(profile->info.hostname, "several");
}

static struct profile *made_at(uint64_t start_ns, uint64_t end_ns, bool has_date, uint64_t offset)
{
	struct profile *profile = profile_create();

	profile->info.start_ns = start_ns;
	profile->info.end_ns = end_ns;
	profile->info.has_date = has_date;
	profile->info.unix_offset_ns = offset;
	return profile;
}

static void times_of_one_clock_stay_in_it(void **state)
{
	struct profile *profile = *state;
	const struct profile_info *info = &profile->info;

	add(profile, made_at(500, 600, true, 10000));
	add(profile, made_at(300, 400, true, 10000));
	assert_int_equal(info->start_ns, 300);
	assert_int_equal(info->end_ns, 600);
	assert_int_equal(info->unix_offset_ns, 10000);
}

static void times_of_different_clocks_become_dates(void **state)
{
	struct profile *profile = *state;
	const struct profile_info *info = &profile->info;

	add(profile, made_at(500, 600, true, 10000));
	add(profile, made_at(7000, 7100, true, 2000));
	assert_true(info->has_date);
	assert_int_equal(info->unix_offset_ns, 0);
	assert_int_equal(info->start_ns, 2000 + 7000);
	assert_int_equal(info->end_ns, 10000 + 600);
}

static void without_a_date_times_do_not_count_beside_dates(void **state)
{
	struct profile *profile = *state;
	const struct profile_info *info = &profile->info;

	add(profile, made_at(5, 9999999, false, 0));
	add(profile, made_at(3, 70, false, 0));
	assert_int_equal(info->start_ns, 3);
	assert_int_equal(info->end_ns, 9999999);
	add(profile, made_at(500, 600, true, 10000));
	add(profile, made_at(1, 2, false, 0));
	assert_int_equal(info->start_ns, 500);
	assert_int_equal(info->end_ns, 600);
	assert_true(info->has_date);
}

static void gaps_end_with_their_recording(void **state)
{
	struct profile *profile = *state, *first = made_at(500, 600, true, 10000);
	const struct profile_info *info = &profile->info;

	profile_lose_cpu(&first->info, 3, 550);
	add(profile, first);
	assert_int_equal(info->cpu_gaps[0].end_ns, 0);
	struct profile *second = made_at(7000, 7100, true, 2000);
	profile_lose_cpu(&second->info, 1, 7010);
	profile_regain_cpu(&second->info, 1, 7020);
	add(profile, second);
	assert_int_equal(info->n_cpu_gaps, 2);
	assert_int_equal(info->cpu_gaps[0].cpu, 1);
	assert_int_equal(info->cpu_gaps[0].start_ns, 9010);
	assert_int_equal(info->cpu_gaps[0].end_ns, 9020);
	assert_int_equal(info->cpu_gaps[1].cpu, 3);
	assert_int_equal(info->cpu_gaps[1].start_ns, 10550);
	assert_int_equal(info->cpu_gaps[1].end_ns, 10600);
}

static void losses_get_the_times_of_the_sum(void **state)
{
	struct profile *profile = *state;
	const struct losses *losses = &profile->info.losses;

	for (uint64_t i = 0; i < 2; i++) {
		struct profile *from = made_at(500, 600, true, i ? 2000 : 10000);
		struct loss loss = { LOSS_OF_SAMPLES, 3, 510 + i, 520 + i, 7 + i };

		assert_int_equal(losses_add(&from->info.losses, &loss), 0);
		add(profile, from);
	}
	assert_int_equal(losses->n, 2);
	assert_int_equal(losses->losses[0].start_ns, 2511);
	assert_int_equal(losses->losses[0].end_ns, 2521);
	assert_int_equal(losses->losses[0].n, 8);
	assert_int_equal(losses->losses[1].start_ns, 10510);
	assert_int_equal(losses->losses[1].n, 7);
}

static void add_part(struct profile *into, uint64_t start_ns, bool has_window, uint64_t from_us,
		     uint64_t to_us)
{
	struct profile *from = made_at(start_ns, start_ns ? start_ns + 100 : 0, false, 0);

	from->info.has_window = has_window;
	from->info.window = (struct time_window){ from_us, to_us };
	add(into, from);
}

static void parts_of_the_time_stay_if_all_runs_have_the_same(void **state)
{
	struct profile *profile = *state;

	add_part(profile, 500, true, 10, 20);
	add_part(profile, 300, true, 10, 20);
	assert_true(profile->info.has_window);
	assert_false(profile->info.has_windows);
	assert_int_equal(profile->info.window.from_us, 10);
	assert_int_equal(profile->info.window.to_us, 20);
	/* Without times there are no samples that could be of another part. */
	add_part(profile, 0, false, 0, 0);
	assert_true(profile->info.has_window);
	add_part(profile, 400, true, 10, 21);
	assert_false(profile->info.has_window);
	assert_true(profile->info.has_windows);
	add_part(profile, 500, true, 10, 20);
	assert_false(profile->info.has_window);
	assert_true(profile->info.has_windows);
}

static void a_whole_run_beside_a_part_of_one_is_no_part(void **state)
{
	struct profile *profile = *state;

	add_part(profile, 0, false, 0, 0);
	add_part(profile, 500, true, 10, 20);
	assert_true(profile->info.has_window);
	add_part(profile, 300, false, 0, 0);
	assert_false(profile->info.has_window);
	assert_false(profile->info.has_windows);
	add_part(profile, 300, true, 10, 20);
	assert_false(profile->info.has_windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(different_texts_become_a_sorted_list, setup,
						teardown),
		cmocka_unit_test_setup_teardown(commands_stay_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(many_texts_are_several, setup, teardown),
		cmocka_unit_test_setup_teardown(times_of_one_clock_stay_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(times_of_different_clocks_become_dates, setup,
						teardown),
		cmocka_unit_test_setup_teardown(without_a_date_times_do_not_count_beside_dates,
						setup, teardown),
		cmocka_unit_test_setup_teardown(parts_of_the_time_stay_if_all_runs_have_the_same,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_whole_run_beside_a_part_of_one_is_no_part, setup,
						teardown),
		cmocka_unit_test_setup_teardown(gaps_end_with_their_recording, setup, teardown),
		cmocka_unit_test_setup_teardown(losses_get_the_times_of_the_sum, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
