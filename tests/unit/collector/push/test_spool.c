#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/push/spool.h"

#define BODY_SIZE 1000
#define FILE_SIZE 1075 /* with this header */

struct folder {
	char above[32], path[64];
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	strcpy(folder->above, "/tmp/test_spool.XXXXXX");
	if (!mkdtemp(folder->above))
		return -1;
	snprintf(folder->path, sizeof(folder->path), "%s/a/spool", folder->above);
	*state = folder;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder->above);
	const int err = system(command);
	free(folder);
	return err;
}

static void open_spool(struct spool *spool, const struct folder *folder, enum spool_use use)
{
	char *error;

	assert_int_equal(spool_open(spool, folder->path, use, &error), 0);
	assert_null(error);
}

static int add(struct spool *spool, unsigned number, uint64_t max)
{
	char body[BODY_SIZE] = { 0 }, id[32];
	const struct spool_request request = { .url = "http://a/b",
					       .type = "text/plain",
					       .encoding = "gzip",
					       .id = id,
					       .body = body,
					       .size = sizeof(body) };

	snprintf(id, sizeof(id), "%08u", number);
	body[5] = '\n';
	return spool_add(spool, &request, max);
}

static void requests_are_read_as_they_were_written_the_oldest_first(void **state)
{
	struct file_text text = { 0 };
	struct spool_request request;
	struct spool spool;
	struct stat st;

	open_spool(&spool, *state, SPOOL_WRITE);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(add(&spool, i, 1 << 20), 0);
	spool_close(&spool);
	open_spool(&spool, *state, SPOOL_SEND);
	assert_int_equal(spool.n_files, 20);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(spool_read(&spool, &spool.files[i], &text, &request), 0);
		assert_string_equal(request.url, "http://a/b");
		assert_string_equal(request.type, "text/plain");
		assert_string_equal(request.encoding, "gzip");
		assert_int_equal(atoi(request.id), i);
		assert_int_equal(request.size, BODY_SIZE);
		assert_int_equal(((const char *)request.body)[5], '\n');
		assert_int_equal(spool.files[i].size, FILE_SIZE);
	}
	assert_int_equal(fstatat(spool.fd, spool.files[0].name, &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(fstat(spool.fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(spool_remove(&spool, &spool.files[0]), 0);
	assert_int_equal(spool_remove(&spool, &spool.files[0]), 0);
	assert_int_equal(spool_read(&spool, &spool.files[0], &text, &request), -ENOENT);
	assert_int_equal(spool_refuse(&spool, &spool.files[1]), 0);
	spool_close(&spool);
	open_spool(&spool, *state, SPOOL_SEND);
	assert_int_equal(spool.n_files, 19);
	assert_true(spool_is_refused(&spool.files[0]));
	assert_false(spool_is_refused(&spool.files[1]));
	spool_close(&spool);
	free(text.bytes);
}

static void the_oldest_make_room_for_new_ones_and_are_counted(void **state)
{
	struct file_text text = { 0 };
	struct spool_request request;
	struct spool spool;

	open_spool(&spool, *state, SPOOL_WRITE);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(add(&spool, i, 4 * FILE_SIZE), 0);
	spool_close(&spool);
	open_spool(&spool, *state, SPOOL_WRITE);
	for (unsigned i = 3; i < 10; i++)
		assert_int_equal(add(&spool, i, 4 * FILE_SIZE), 0);
	assert_int_equal(spool.n_dropped, 6);
	assert_int_equal(spool.n_dropped_bytes, 6 * FILE_SIZE);
	assert_int_equal(spool.size, 4 * FILE_SIZE);
	assert_int_equal(add(&spool, 10, FILE_SIZE - 1), -EFBIG);
	spool_close(&spool);
	open_spool(&spool, *state, SPOOL_SEND);
	assert_int_equal(spool.n_files, 4);
	assert_int_equal(spool_read(&spool, &spool.files[0], &text, &request), 0);
	assert_string_equal(request.id, "00000006");
	spool_close(&spool);
	free(text.bytes);
}

static void requests_of_databases_have_queries_and_keys(void **state)
{
	static const uint64_t keys[] = { 1, 0x0a0a0a0a0a0a0a0a };
	const struct spool_request request = {
		.url = "http://a/?database=b",
		.type = "c",
		.id = "d",
		.query = "INSERT INTO e (f) FORMAT RowBinary",
		.complete = "SELECT 1",
		.ask = "SELECT count() FROM e",
		.keys = keys,
		.n_keys = 2,
		.body = "\n\n",
		.size = 2,
	};
	struct file_text text = { 0 };
	struct spool_request read;
	FILE *out = open_memstream(&text.bytes, &text.size);

	(void)state;
	assert_non_null(out);
	assert_int_equal(spool_request_write(out, &request), 0);
	fclose(out);
	assert_int_equal(spool_request_parse(&text, &read), 0);
	assert_string_equal(read.query, request.query);
	assert_string_equal(read.complete, request.complete);
	assert_string_equal(read.ask, request.ask);
	assert_int_equal(read.n_keys, 2);
	assert_memory_equal(read.keys, keys, sizeof(keys));
	assert_int_equal(read.size, 2);
	assert_memory_equal(read.body, "\n\n", 2);
	free(text.bytes);
}

static void who_watches_sees_what_waits_and_what_was_dropped(void **state)
{
	const struct folder *folder = *state;
	struct spool_state seen;
	struct spool spool;
	char path[128];

	assert_int_equal(spool_look(folder->path, &seen), -ENOENT);
	for (unsigned run = 1; run <= 2; run++) {
		open_spool(&spool, folder, SPOOL_WRITE);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(add(&spool, i, 2 * FILE_SIZE), 0);
		spool_close(&spool);
		assert_int_equal(spool_look(folder->path, &seen), 0);
		assert_int_equal(seen.n_waiting, 2);
		assert_int_equal(seen.n_waiting_bytes, 2 * FILE_SIZE);
		/* Of the first three one, of those of the second run all. */
		assert_int_equal(seen.n_dropped, run == 1 ? 1 : 4);
		assert_int_equal(seen.n_dropped_bytes, seen.n_dropped * FILE_SIZE);
	}
	open_spool(&spool, folder, SPOOL_SEND);
	assert_int_equal(spool_refuse(&spool, &spool.files[0]), 0);
	spool_close(&spool);
	assert_int_equal(spool_look(folder->path, &seen), 0);
	assert_int_equal(seen.n_waiting, 1);
	assert_int_equal(seen.n_refused, 1);
	/* What is not a number is none. */
	snprintf(path, sizeof(path), "%s/.dropped", folder->path);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("-1 x", file);
	fclose(file);
	assert_int_equal(spool_look(folder->path, &seen), 0);
	assert_int_equal(seen.n_dropped, 0);
}

static void what_is_no_request_is_told_from_one(void **state)
{
	static const char *const texts[] = {
		"",
		"dendro request 1\n",
		"dendro request 2\nurl a\ntype b\nid c\n\n",
		"dendro request 1\nurl a\ntype b\nid c\n",
		"dendro request 1\nurl a\ntype b\n\nbody",
		"dendro request 1\nurl a\ntype b\nid c\nother d\n\n",
		"dendro request 1\nurl a\ntype b\nid c\nkeys 1\n\n1234567",
		"dendro request 1\nurl a\ntype b\nid c\nkeys x\n\n12345678",
		"dendro request 1\nurl\ntype b\nid c\n\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *copy = strdup(texts[i]);
		struct file_text text = { .bytes = copy, .size = strlen(copy) };
		struct spool_request request;

		assert_int_equal(spool_request_parse(&text, &request), -EBADMSG);
		free(copy);
	}
}

static void a_folder_that_others_can_read_is_refused(void **state)
{
	const struct folder *folder = *state;
	struct spool spool;
	char *error;

	open_spool(&spool, folder, SPOOL_WRITE);
	spool_close(&spool);
	assert_int_equal(chmod(folder->path, 0755), 0);
	assert_int_equal(spool_open(&spool, folder->path, SPOOL_SEND, &error), -EPERM);
	assert_non_null(strstr(error, "chmod 700"));
	free(error);
	spool_close(&spool);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(requests_are_read_as_they_were_written_the_oldest_first),
		IN_FOLDER(the_oldest_make_room_for_new_ones_and_are_counted),
		IN_FOLDER(who_watches_sees_what_waits_and_what_was_dropped),
		IN_FOLDER(a_folder_that_others_can_read_is_refused),
		cmocka_unit_test(requests_of_databases_have_queries_and_keys),
		cmocka_unit_test(what_is_no_request_is_told_from_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
