/* The view of epochs: a row for each epoch of the processes with samples, by process and time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

#define START_NS 1000

static void add_process(struct letter_view *fixture, int32_t pid, const char *name)
{
	struct profile *profile = fixture->profile;
	const uint32_t index = profile_add_process(profile, pid, name);
	const struct epoch first = { .first_ns = START_NS + 10,
				     .loaded_ns = START_NS + 10,
				     .end_ns = START_NS + 500 };

	assert_int_not_equal(index, UINT32_MAX);
	assert_int_equal(epochs_begin(&profile->epochs, &profile->processes[index].epochs, &first,
				      "libc.so.6"),
			 0);
}

static void load(struct letter_view *fixture, uint32_t process, uint64_t loaded_ns,
		 uint64_t first_ns, const char *files)
{
	struct profile *profile = fixture->profile;
	const struct epoch epoch = { .first_ns = START_NS + first_ns,
				     .loaded_ns = START_NS + loaded_ns,
				     .end_ns = START_NS + 500,
				     .n_files = 1 };

	assert_int_equal(
		epochs_begin(&profile->epochs, &profile->processes[process].epochs, &epoch, files),
		0);
}

static void add_sample(struct letter_view *fixture, uint32_t process, uint32_t epoch, char function,
		       uint64_t weight)
{
	struct cct *cct = fixture->profile->cct;
	const struct frame group = { .kind = FRAME_EPOCH,
				     .offset = frame_epoch_offset(process, epoch) };
	const struct frame frame = letter_view_frame(fixture, function);
	const uint32_t node = cct_child(cct, cct_child(cct, CCT_ROOT, &group), &frame);

	sample_profile_add(fixture->profile, node, 0, weight);
}

static const struct view_row *show(struct letter_view *fixture, enum view_sort sort)
{
	fixture->profile->info.start_ns = START_NS;
	fixture->profile->info.end_ns = START_NS + 500;
	return letter_view_show(fixture,
				&(struct view_options){ .kind = VIEW_EPOCHS, .sort = sort })
		->children;
}

static void an_epoch_has_its_cost_its_files_and_its_time(void **state)
{
	struct letter_view *fixture = *state;

	add_process(fixture, 7, "prog");
	load(fixture, 0, 90, 100, "plugin.so");
	add_sample(fixture, 0, 0, 'a', 1);
	add_sample(fixture, 0, 1, 'a', 2);
	add_sample(fixture, 0, 1, 'b', 4);
	const struct view_row *row = show(fixture, SORT_START);
	assert_string_equal(row->name, "prog (pid 7) #1");
	assert_int_equal(row->total[0], 1);
	assert_string_equal(row->files, "libc.so.6");
	assert_int_equal(row->start_ns, 10);
	assert_int_equal(row->duration_ns, 80);
	row = row->next;
	assert_string_equal(row->name, "prog (pid 7) #2");
	assert_int_equal(row->kind, ROW_EPOCH);
	assert_int_equal(row->id, 2);
	assert_int_equal(row->total[0], 6);
	assert_int_equal(row->self[0], 6);
	assert_string_equal(row->files, "plugin.so");
	assert_int_equal(row->n_files, 1);
	assert_int_equal(row->start_ns, 90);
	assert_int_equal(row->duration_ns, 410);
	assert_null(row->next);
}

static void an_epoch_without_samples_has_a_row_if_its_process_has_one(void **state)
{
	struct letter_view *fixture = *state;

	add_process(fixture, 7, "prog");
	add_process(fixture, 8, "idle");
	load(fixture, 0, 90, 100, "plugin.so");
	load(fixture, 0, 200, 200, "other.so");
	load(fixture, 1, 90, 100, "plugin.so");
	add_sample(fixture, 0, 1, 'a', 2);
	const struct view_row *row = show(fixture, SORT_START);
	for (int32_t id = 1; id <= 3; id++, row = row->next) {
		assert_non_null(row);
		assert_int_equal(row->id, id);
		assert_int_equal(row->total[0], id == 2 ? 2 : 0);
	}
	assert_null(row);
}

static void the_process_that_cost_most_comes_first(void **state)
{
	static const struct {
		enum view_sort sort;
		const char *names[3];
	} orders[] = {
		{ SORT_START, { "dear (pid 8) #1", "dear (pid 8) #2", "cheap (pid 7) #1" } },
		{ SORT_TOTAL, { "dear (pid 8) #2", "cheap (pid 7) #1", "dear (pid 8) #1" } },
		{ SORT_NAME, { "cheap (pid 7) #1", "dear (pid 8) #1", "dear (pid 8) #2" } },
	};
	struct letter_view *fixture = *state;

	add_process(fixture, 7, "cheap");
	add_process(fixture, 8, "dear");
	load(fixture, 1, 90, 100, "plugin.so");
	add_sample(fixture, 0, 0, 'a', 3);
	add_sample(fixture, 1, 0, 'a', 1);
	add_sample(fixture, 1, 1, 'a', 4);
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const struct view_row *row = show(fixture, orders[i].sort);

		for (size_t j = 0; j < 3; j++, row = row->next)
			assert_string_equal(row->name, orders[i].names[j]);
		assert_null(row);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_epoch_has_its_cost_its_files_and_its_time),
		TEST(an_epoch_without_samples_has_a_row_if_its_process_has_one),
		TEST(the_process_that_cost_most_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
