#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/control/phase_marks.h"
#include "perf/file/data_file.h"

#define MANY (PHASE_MARKS_MAX + 10)

struct bench {
	char folder[32], path[48];
	int fd, writer_fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct recording_notes notes;
	struct phase_marks marks;
	size_t n_names; /* read by read_names() */
	char (*names)[PHASE_NAME_MAX + 1];
};

/* Of all marks. */
#define TIME_NS 77

static struct bench *bench_create(void)
{
	static const uint64_t id = 1;
	struct bench *bench = calloc(1, sizeof(*bench));
	struct data_writer_options options = { .compression_level = 0 };

	assert_non_null(bench);
	bench->names = calloc(MANY, sizeof(*bench->names));
	assert_non_null(bench->names);
	strcpy(bench->folder, "/tmp/dendro-phases-XXXXXX");
	assert_non_null(mkdtemp(bench->folder));
	snprintf(bench->path, sizeof(bench->path), "%s/fifo", bench->folder);
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->attr = (struct perf_event_attr){ .size = PERF_ATTR_SIZE_VER7,
						.sample_type = PERF_SAMPLE_IDENTIFIER };
	const struct data_writer_event event = { &bench->attr, "dummy", &id, 1 };
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	phase_marks_init(&bench->marks);
	bench->writer_fd = -1;
	return bench;
}

static void open_marks(struct bench *bench)
{
	assert_int_equal(phase_marks_open(&bench->marks, bench->path, &bench->notes), 0);
	bench->writer_fd = open(bench->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	assert_true(bench->writer_fd >= 0);
}

static void bench_destroy(struct bench *bench)
{
	phase_marks_close(&bench->marks);
	if (bench->writer_fd >= 0)
		close(bench->writer_fd);
	recording_notes_deinit(&bench->notes);
	data_writer_destroy(bench->writer);
	close(bench->fd);
	unlink(bench->path);
	assert_int_equal(rmdir(bench->folder), 0);
	free(bench->names);
	free(bench);
}

static void write_text(const struct bench *bench, const char *text, size_t size)
{
	assert_int_equal(write(bench->writer_fd, text, size), size);
}

static void take(struct bench *bench, const char *text)
{
	int n_waiting;

	write_text(bench, text, strlen(text));
	phase_marks_look(&bench->marks);
	assert_int_equal(phase_marks_take_lines(&bench->marks, bench->writer, TIME_NS), 0);
	assert_int_equal(ioctl(bench->writer_fd, FIONREAD, &n_waiting), 0);
	assert_int_equal(n_waiting, 0);
}

static void read_names(struct bench *bench)
{
	struct phase_record phase;
	struct raw_record raw;
	struct data_file *file;
	char path[32];
	char *error = NULL;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) > 0) {
		if (phase_record_is_type(raw.header)) {
			assert_true(bench->n_names < MANY);
			assert_true(phase_record_decode(raw.header, &phase));
			assert_int_equal(phase.time_ns, TIME_NS);
			strcpy(bench->names[bench->n_names++], phase.name);
		}
		data_block_unref(raw.block);
	}
	data_file_close(file);
}

static void lines_and_signals_are_marks_in_their_order(void **state)
{
	static const char *const wanted[] = { "load", "one two", "", "phase 1", "phase 2", "run" };
	struct bench *bench = bench_create();

	(void)state;
	open_marks(bench);
	take(bench, "");
	take(bench, "load\none two\n\n");
	assert_int_equal(phase_marks_begin_next(&bench->marks, bench->writer, TIME_NS), 0);
	assert_int_equal(phase_marks_begin_next(&bench->marks, bench->writer, TIME_NS), 0);
	take(bench, "ru");
	take(bench, "n\nthis line has no end");
	read_names(bench);
	assert_int_equal(bench->n_names, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(bench->names[i], wanted[i]);
	phase_marks_describe(&bench->marks, &bench->notes);
	assert_int_equal(bench->notes.n, 0);
	bench_destroy(bench);
}

static void names_that_are_too_long_are_cut_and_counted(void **state)
{
	struct bench *bench = bench_create();
	char line[2 * PHASE_NAME_MAX];

	(void)state;
	open_marks(bench);
	memset(line, 'n', sizeof(line));
	line[3] = '\0';
	line[sizeof(line) - 1] = '\n';
	write_text(bench, line, sizeof(line));
	take(bench, "short\n");
	read_names(bench);
	assert_int_equal(bench->n_names, 2);
	assert_int_equal(strlen(bench->names[0]), PHASE_NAME_MAX);
	assert_int_equal(bench->names[0][3], '?');
	assert_string_equal(bench->names[1], "short");
	phase_marks_describe(&bench->marks, &bench->notes);
	assert_int_equal(bench->notes.n, 1);
	assert_string_equal(bench->notes.notes[0].text, "names of phases are cut to 255 bytes: 1.");
	bench_destroy(bench);
}

static void the_last_mark_that_fits_ends_the_phase(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	open_marks(bench);
	for (size_t i = 0; i < MANY; i++)
		take(bench, "again\n");
	read_names(bench);
	assert_int_equal(bench->n_names, PHASE_MARKS_MAX);
	assert_string_equal(bench->names[PHASE_MARKS_MAX - 2], "again");
	assert_string_equal(bench->names[PHASE_MARKS_MAX - 1], "");
	phase_marks_describe(&bench->marks, &bench->notes);
	assert_int_equal(bench->notes.n, 1);
	assert_non_null(strstr(bench->notes.notes[0].text, "; 11 more were left out."));
	bench_destroy(bench);
}

static void a_fifo_that_was_made_is_removed_and_another_is_kept(void **state)
{
	struct bench *bench = bench_create();
	struct stat st;

	(void)state;
	open_marks(bench);
	phase_marks_close(&bench->marks);
	assert_int_equal(stat(bench->path, &st), -1);
	close(bench->writer_fd);
	assert_int_equal(mkfifo(bench->path, 0600), 0);
	open_marks(bench);
	phase_marks_close(&bench->marks);
	assert_int_equal(stat(bench->path, &st), 0);
	bench_destroy(bench);
}

static void what_is_not_a_fifo_is_refused_and_kept(void **state)
{
	struct bench *bench = bench_create();
	struct stat st;
	FILE *file = fopen(bench->path, "we");

	(void)state;
	assert_non_null(file);
	fclose(file);
	assert_int_equal(phase_marks_open(&bench->marks, bench->path, &bench->notes), -EEXIST);
	assert_non_null(strstr(bench->notes.error, "exists, and is not a FIFO."));
	phase_marks_close(&bench->marks);
	assert_int_equal(stat(bench->path, &st), 0);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_signals_are_marks_in_their_order),
		cmocka_unit_test(names_that_are_too_long_are_cut_and_counted),
		cmocka_unit_test(the_last_mark_that_fits_ends_the_phase),
		cmocka_unit_test(a_fifo_that_was_made_is_removed_and_another_is_kept),
		cmocka_unit_test(what_is_not_a_fifo_is_refused_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
