/* Rows of samples are read as they were written; what cannot be rows of the tree is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/row_slices.h"
#include "cct/store/profile_parts.h"
#include "cct/store/row_tasks.h"

#define N_METRICS 3
#define N_THREADS 3
#define N_ROWS    3000u

static void add_row(struct profile *profile, uint32_t i)
{
	const struct frame process = { .kind = FRAME_PROCESS };
	const struct frame thread = { .kind = FRAME_THREAD, .offset = i / 7 % N_THREADS };
	const struct frame code = { .kind = FRAME_USER, .offset = i * i % 11 };
	const struct row_task task = { .thread = (uint32_t)thread.offset, .pid = -1, .tid = 5 };
	struct sample_row row = {
		.time = 1000000ull + i * 1003000ull + i % 5 * 1000,
		.weight = i % N_METRICS ? i % 17 : 1003009,
		.number = i,
		.cpu = i % 4 ? 0 : 1000000,
		.n_guessed = i % 100 == 3 ? UINT32_MAX : 0,
		.metric = (uint16_t)(i % N_METRICS),
		.end = (uint8_t)(i % 50 ? ROW_COMPLETE : N_ROW_ENDS - 1),
		.marks = i % 100 == 3 ? 1u << PATH_GUESSED : 0,
	};

	row.node = cct_child(profile->cct, CCT_ROOT, &process);
	row.node = cct_child(profile->cct, row.node, &thread);
	row.node = cct_child(profile->cct, row.node, &code);
	assert_int_equal(sample_rows_enter_task(profile->rows, &task, i < 1500 ? "old" : "new",
						"process", &row.task),
			 0);
	assert_int_equal(sample_rows_add(profile->rows, &row), 0);
	assert_int_equal(sample_row_count(&row, profile->cct, &profile->quality), 0);
}

/* @n_rows of two metrics and two CPUs; the third metric has none if there are few. */
static struct profile *make_profile(uint32_t n_rows)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (int i = 0; i < N_METRICS; i++)
		profile_add_metric(profile, "metric", "events");
	profile_add_process(profile, 1, "process");
	for (int i = 0; i < N_THREADS; i++)
		profile_add_thread(profile, i, 0, "thread");
	profile->cct = cct_create(N_METRICS);
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_true(profile->cct && profile->rows);
	for (uint32_t i = 0; i < n_rows; i++)
		add_row(profile, i);
	sample_rows_finish(profile->rows, 1000000);
	return profile;
}

/* Gives the rows to three runs, and adds them up in slices of 2^@shift microseconds. */
static void make_runs(struct profile *profile, unsigned shift)
{
	struct sample_rows *rows = profile->rows;

	rows->runs = calloc(3, sizeof(*rows->runs));
	assert_non_null(rows->runs);
	for (rows->n_runs = 0; rows->n_runs < 3; rows->n_runs++) {
		struct sample_run *run = &rows->runs[rows->n_runs];

		run->start_ns = 1000ull * rows->n_runs;
		run->end_ns = UINT64_MAX;
		run->has_date = rows->n_runs == 1;
		run->times = calloc(N_METRICS, sizeof(*run->times));
		assert_non_null(run->times);
		run->times[1] = (struct run_times){ 300, rows->n_runs };
	}
	rows->runs[0].command_line = strdup("ls -l");
	rows->runs[2].hostname = strdup("oak");
	for (uint32_t i = 0; i < rows->n_rows; i++)
		rows->rows[i].run = i % 3;
	assert_int_equal(row_slices_sort(rows), 0);
	assert_int_equal(row_slices_make(rows, profile, shift), 0);
}

/* Reads @bytes as the rows of @profile, whose own it gives back in *@before_ret. */
static int read_rows(struct profile *profile, const uint8_t *bytes, size_t size,
		     struct sample_rows **before_ret)
{
	struct dwarf_reader body = dwarf_reader(bytes, size);

	*before_ret = profile->rows;
	profile->rows = NULL;
	int err = (*before_ret)->n_runs ? runs_part_read(&body, profile)
					: rows_part_read(&body, profile);
	return err || !dwarf_left(&body) ? err : -EINVAL;
}

static void assert_equal_rows(const struct sample_rows *a, const struct sample_rows *b)
{
	assert_int_equal(a->n_rows, b->n_rows);
	for (uint32_t i = 0; i < a->n_rows; i++) {
		assert_memory_equal(&a->rows[i], &b->rows[i], sizeof(a->rows[i]));
		assert_true(!a->sums || memcmp(&a->sums[i], &b->sums[i], sizeof(*a->sums)) == 0);
	}
	assert_int_equal(a->n_tasks, b->n_tasks);
	for (uint32_t i = 0; i < a->n_tasks; i++) {
		assert_memory_equal(&a->tasks[i], &b->tasks[i], sizeof(a->tasks[i]));
		assert_string_equal(a->names.strings[a->tasks[i].thread_name],
				    b->names.strings[b->tasks[i].thread_name]);
	}
}

static void rows_are_read_as_they_were_written(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, N_ROWS };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct profile *profile = make_profile(numbers[i]);
		struct sample_rows *before;
		struct byte_buffer body = { 0 };

		rows_part_write(&body, profile);
		assert_int_equal(read_rows(profile, body.bytes, body.size, &before), 0);
		assert_equal_rows(profile->rows, before);
		sample_rows_destroy(before);
		byte_buffer_deinit(&body);
		profile_destroy(profile);
	}
}

static void assert_equal_texts(const char *a, const char *b)
{
	assert_string_equal(a ? a : "(none)", b ? b : "(none)");
}

static void assert_equal_runs(const struct sample_rows *a, const struct sample_rows *b)
{
	assert_int_equal(a->slice_shift, b->slice_shift);
	assert_int_equal(a->n_runs, b->n_runs);
	for (uint32_t i = 0; i < a->n_runs; i++) {
		const struct sample_run *x = &a->runs[i], *y = &b->runs[i];

		assert_equal_texts(x->command_line, y->command_line);
		assert_equal_texts(x->hostname, y->hostname);
		assert_int_equal(x->start_ns, y->start_ns);
		assert_int_equal(x->end_ns, y->end_ns);
		assert_int_equal(x->has_date, y->has_date);
		assert_memory_equal(x->times, y->times, N_METRICS * sizeof(*x->times));
	}
}

static void rows_of_runs_and_sums_are_read_as_they_were_written(void **state)
{
	static const unsigned shifts[] = { 0, 1, 12, 20, ROW_SLICE_SHIFT_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(shifts) / sizeof(*shifts); i++) {
		struct profile *profile = make_profile(i ? N_ROWS : 0);
		struct sample_rows *before;
		struct byte_buffer body = { 0 };

		make_runs(profile, shifts[i]);
		runs_part_write(&body, profile);
		assert_int_equal(read_rows(profile, body.bytes, body.size, &before), 0);
		assert_equal_rows(profile->rows, before);
		assert_equal_runs(profile->rows, before);
		sample_rows_destroy(before);
		byte_buffer_deinit(&body);
		profile_destroy(profile);
	}
}

static void write_part(struct byte_buffer *body, const struct profile *profile)
{
	if (profile->rows->n_runs)
		runs_part_write(body, profile);
	else
		rows_part_write(body, profile);
}

static void cut_and_change(struct profile *profile)
{
	struct byte_buffer body = { 0 };
	struct sample_rows *before;

	write_part(&body, profile);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_rows(profile, body.bytes, size, &before), 0);
		sample_rows_destroy(profile->rows);
		profile->rows = before;
	}
	for (size_t i = 0; i < body.size; i++) {
		for (uint8_t bit = 1; bit; bit = (uint8_t)(bit << 1)) {
			body.bytes[i] ^= bit;
			if (read_rows(profile, body.bytes, body.size, &before) == 0)
				assert_int_equal(sample_rows_check(profile->rows, profile->cct), 0);
			body.bytes[i] ^= bit;
			sample_rows_destroy(profile->rows);
			profile->rows = before;
		}
	}
	byte_buffer_deinit(&body);
}

static void rows_that_were_cut_or_changed_are_refused_or_are_of_the_tree(void **state)
{
	struct profile *profile = make_profile(60);

	(void)state;
	cut_and_change(profile);
	profile_destroy(profile);
}

static void so_are_rows_of_runs_and_sums(void **state)
{
	struct profile *profile = make_profile(60);

	(void)state;
	make_runs(profile, 0);
	cut_and_change(profile);
	profile_destroy(profile);
	profile = make_profile(60);
	make_runs(profile, 16);
	cut_and_change(profile);
	profile_destroy(profile);
}

/* Of a profile whose last thread is missing. */
static void assert_refused_without_thread(struct profile *profile)
{
	struct byte_buffer body = { 0 };
	struct sample_rows *before;

	write_part(&body, profile);
	profile->n_threads--;
	assert_int_equal(read_rows(profile, body.bytes, body.size, &before), -EINVAL);
	sample_rows_destroy(profile->rows);
	profile->rows = before;
	profile->n_threads++;
	assert_int_equal(read_rows(profile, body.bytes, body.size, &before), 0);
	sample_rows_destroy(before);
	byte_buffer_deinit(&body);
}

static void rows_of_threads_that_the_profile_lacks_are_refused(void **state)
{
	struct profile *profile = make_profile(60);

	(void)state;
	assert_refused_without_thread(profile);
	make_runs(profile, 16);
	assert_refused_without_thread(profile);
	profile_destroy(profile);
}

static void so_are_tasks_of_such_threads_in_earlier_versions(void **state)
{
	/* One task: thread, pid, tid, two names of a letter. */
	static const uint8_t of_last[] = { 1, N_THREADS - 1, 5, 5, 2, 'a', 2, 'b' },
			     of_none[] = { 1, N_THREADS, 5, 5, 2, 'a', 2, 'b' };
	struct profile *profile = make_profile(0);
	struct dwarf_reader body = dwarf_reader(of_none, sizeof(of_none));

	(void)state;
	assert_int_equal(row_tasks_read_before_3(&body, profile), -EINVAL);
	body = dwarf_reader(of_last, sizeof(of_last));
	assert_int_equal(row_tasks_read_before_3(&body, profile), 0);
	assert_int_equal(profile->rows->n_tasks, 1);
	profile_destroy(profile);
}

static void a_regular_sample_takes_four_bytes_before_compression(void **state)
{
	struct profile *few = make_profile(300), *many = make_profile(1300);
	struct byte_buffer of_few = { 0 }, of_many = { 0 };

	(void)state;
	rows_part_write(&of_few, few);
	rows_part_write(&of_many, many);
	/* Two of three metrics have weights that differ. */
	assert_in_range(of_many.size - of_few.size, 4000, 5500);
	byte_buffer_deinit(&of_few);
	byte_buffer_deinit(&of_many);
	profile_destroy(few);
	profile_destroy(many);
}

/* A thread with a separate path for each sample, which goes to the other CPU and back: @n_stays
 * times 100 samples. The bytes of its rows. */
static size_t size_of_moves(unsigned n_stays)
{
	const struct frame process = { .kind = FRAME_PROCESS }, thread = { .kind = FRAME_THREAD };
	const struct row_task task = { .thread = 0, .pid = 1, .tid = 1 };
	struct profile *profile = make_profile(0);
	struct sample_rows *before;
	struct byte_buffer body = { 0 };
	uint32_t node = cct_child(profile->cct, CCT_ROOT, &process);

	node = cct_child(profile->cct, node, &thread);
	for (uint32_t i = 0; i < 100 * n_stays; i++) {
		const struct frame code = { .kind = FRAME_USER, .offset = i };
		struct sample_row row = {
			.time = 1000000ull * i,
			.weight = 1,
			.number = i,
			.node = cct_child(profile->cct, node, &code),
			.cpu = i / 100 % 2,
		};

		assert_int_equal(sample_rows_enter_task(profile->rows, &task, "thread", "process",
							&row.task),
				 0);
		assert_int_equal(sample_rows_add(profile->rows, &row), 0);
		assert_int_equal(sample_row_count(&row, profile->cct, &profile->quality), 0);
	}
	sample_rows_finish(profile->rows, 0);
	rows_part_write(&body, profile);
	assert_int_equal(read_rows(profile, body.bytes, body.size, &before), 0);
	assert_equal_rows(profile->rows, before);
	const size_t size = body.size;
	sample_rows_destroy(before);
	byte_buffer_deinit(&body);
	profile_destroy(profile);
	return size;
}

static void threads_that_move_between_cpus_take_little_more(void **state)
{
	const size_t once = size_of_moves(1), often = size_of_moves(41);

	(void)state;
	/* A time, a task, a node and an end; the first node after a move, and how long it took. */
	assert_in_range(often - once, 4000 * 4, 4000 * 4 + 40 * 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_as_they_were_written),
		cmocka_unit_test(rows_that_were_cut_or_changed_are_refused_or_are_of_the_tree),
		cmocka_unit_test(rows_of_runs_and_sums_are_read_as_they_were_written),
		cmocka_unit_test(so_are_rows_of_runs_and_sums),
		cmocka_unit_test(rows_of_threads_that_the_profile_lacks_are_refused),
		cmocka_unit_test(so_are_tasks_of_such_threads_in_earlier_versions),
		cmocka_unit_test(a_regular_sample_takes_four_bytes_before_compression),
		cmocka_unit_test(threads_that_move_between_cpus_take_little_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
