/* Dumps that processes of a /proc made of files have mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/record/observers/jitdump_recorder.h"
#include "tests/unit/fixtures/observed_bench.h"

enum { PID = 100, MANY = 5 << 20 };

/* Process 100 maps the file @name of the bench's folder, as jit-100.dump below its root. */
static struct observed_mapping mapping_of(const struct observed_bench *bench, const char *name)
{
	char link[160], target[160];
	struct stat st;

	snprintf(target, sizeof(target), "%s/%s", bench->folder, name);
	assert_int_equal(stat(target, &st), 0);
	snprintf(link, sizeof(link), "%s/100", bench->proc);
	mkdir(link, 0700);
	snprintf(link, sizeof(link), "%s/100/map_files", bench->proc);
	mkdir(link, 0700);
	snprintf(link, sizeof(link), "%s/100/map_files/7000-8000", bench->proc);
	unlink(link);
	assert_int_equal(symlink(target, link), 0);
	return (struct observed_mapping){ .pid = PID,
					  .start = 0x7000,
					  .end = 0x8000,
					  .path = "/x/jit-100.dump",
					  .dev_major = 8,
					  .dev_minor = 1,
					  .inode = st.st_ino,
					  .is_code = true };
}

static void see(struct observed_bench *bench, const struct observed_mapping *mapping)
{
	bench->observer->see_mapping(bench->state, mapping, NULL);
}

static void key_of(const struct observed_mapping *mapping, char key[64])
{
	snprintf(key, 64, "100 8:1:%llu /x/jit-100.dump", (unsigned long long)mapping->inode);
}

static void a_dump_is_attached_with_what_was_written_until_the_end(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);
	char key[64];

	(void)state;
	bench_begin(bench);
	bench_put(bench, "dump", "header");
	struct observed_mapping mapping = mapping_of(bench, "dump");
	see(bench, &mapping);
	see(bench, &mapping); /* once more is still one dump */
	bench_put(bench, "dump", "header and code");
	key_of(&mapping, key);
	assert_int_equal(bench_finish(bench), 1);
	bench_expect(bench, 0, ATTACHMENT_JITDUMP, key, "header and code");
	bench_expect_advice(bench, NULL);
	bench_destroy(bench);
}

static void a_large_dump_of_a_process_that_exited_is_read_in_several_rounds(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);
	char key[64], *text = malloc(MANY + 1);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', MANY);
	text[MANY] = '\0';
	bench_begin(bench);
	bench_put(bench, "dump", text);
	struct observed_mapping mapping = mapping_of(bench, "dump");
	see(bench, &mapping);
	bench_exit(bench, PID);
	bench_end_round(bench);
	/* What the first round did not read is different by now. */
	memset(text, 'y', MANY);
	bench_put(bench, "dump", text);
	memset(text, 'x', 4 << 20);
	bench_end_round(bench);
	/* What comes now is too late. */
	bench_put(bench, "dump", "another");
	key_of(&mapping, key);
	assert_int_equal(bench_finish(bench), 1);
	bench_expect(bench, 0, ATTACHMENT_JITDUMP, key, text);
	free(text);
	bench_destroy(bench);
}

static void mappings_that_mark_no_dump_are_left_alone(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);

	(void)state;
	bench_begin(bench);
	bench_put(bench, "dump", "header");
	struct observed_mapping mapping = mapping_of(bench, "dump");
	mapping.path = "/x/library.so";
	see(bench, &mapping);
	mapping.path = "/x/jit-100.dump";
	mapping.is_code = false;
	see(bench, &mapping);
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench, NULL);
	bench_destroy(bench);
}

static void another_file_in_its_place_is_not_taken(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);

	(void)state;
	bench_begin(bench);
	bench_put(bench, "dump", "header");
	struct observed_mapping mapping = mapping_of(bench, "dump");
	mapping.inode++;
	see(bench, &mapping);
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench,
			    "1 jitdump file could not be read: code made at run time will have "
			    "no names.");
	bench_destroy(bench);
}

static void what_is_no_regular_file_is_refused(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);
	char path[96];

	(void)state;
	bench_begin(bench);
	snprintf(path, sizeof(path), "%s/fifo", bench->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	struct observed_mapping mapping = mapping_of(bench, "fifo");
	see(bench, &mapping);
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench, "1 jitdump file was ignored: owned by another user, or "
				   "not a regular file.");
	bench_destroy(bench);
}

static void another_users_file_is_refused(void **state)
{
	struct observed_bench *bench = bench_create(&jitdump_observer);
	char path[96];

	(void)state;
	if (geteuid() != 0) {
		bench_destroy(bench);
		print_message("only root can give files to other users\n");
		skip();
	}
	bench_begin(bench);
	bench_put(bench, "dump", "header");
	snprintf(path, sizeof(path), "%s/dump", bench->folder);
	assert_int_equal(chown(path, 12345, 12345), 0);
	struct observed_mapping mapping = mapping_of(bench, "dump");
	see(bench, &mapping);
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench, "1 jitdump file was ignored: owned by another user, or "
				   "not a regular file.");
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_is_attached_with_what_was_written_until_the_end),
		cmocka_unit_test(a_large_dump_of_a_process_that_exited_is_read_in_several_rounds),
		cmocka_unit_test(mappings_that_mark_no_dump_are_left_alone),
		cmocka_unit_test(another_file_in_its_place_is_not_taken),
		cmocka_unit_test(what_is_no_regular_file_is_refused),
		cmocka_unit_test(another_users_file_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
