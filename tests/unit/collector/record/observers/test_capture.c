/* This process maps a file; then the file goes. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/observers/capture.h"
#include "perf/file/data_file.h"
#include "tests/unit/fixtures/emulated.h"

enum { FILE_SIZE = 8192 };

struct program {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr note;
	char note_name[4];
	uint8_t build_id[8];
};

struct bench {
	char path[64];
	void *mapped;
	struct observed_mapping mapping;
	int recording_fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct capture *capture;
};

static void write_program(const char *path, uint8_t id)
{
	struct program program = {
		.ehdr = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_phoff = offsetof(struct program, phdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.phdr = { .p_type = PT_NOTE,
			  .p_offset = offsetof(struct program, note),
			  .p_filesz = 24 },
		.note = { 4, 8, NT_GNU_BUILD_ID },
		.note_name = "GNU",
		.build_id = { id },
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &program, sizeof(program)), sizeof(program));
	assert_int_equal(ftruncate(fd, FILE_SIZE), 0);
	close(fd);
}

static void create_writer(struct bench *bench)
{
	static const uint64_t id = 1;
	struct data_writer_options options = { .compression_level = 1 };

	bench->attr = (struct perf_event_attr){ .size = PERF_ATTR_SIZE_VER7,
						.sample_type = PERF_SAMPLE_IDENTIFIER };
	const struct data_writer_event events[] = { { &bench->attr, "dummy", &id, 1 } };
	bench->recording_fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(data_writer_create(bench->recording_fd, &options, events, 1, NULL, 0,
					    &bench->writer),
			 0);
}

static struct bench *bench_create(uint64_t max_bytes)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct stat st;

	snprintf(bench->path, sizeof(bench->path), "/tmp/dendro-test-XXXXXX");
	int fd = mkstemp(bench->path);
	assert_true(fd >= 0);
	close(fd);
	write_program(bench->path, 7);
	fd = open(bench->path, O_RDONLY | O_CLOEXEC);
	bench->mapped = mmap(NULL, FILE_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bench->mapped != MAP_FAILED);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	bench->mapping = (struct observed_mapping){
		.pid = getpid(),
		.start = (uintptr_t)bench->mapped,
		.end = (uintptr_t)bench->mapped + FILE_SIZE,
		.path = bench->path,
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
		.inode = st.st_ino,
		.is_code = true,
	};
	create_writer(bench);
	bench->capture = capture_create(max_bytes);
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	unlink(bench->path);
	if (bench->mapped)
		munmap(bench->mapped, FILE_SIZE);
	data_writer_destroy(bench->writer);
	capture_destroy(bench->capture);
	close(bench->recording_fd);
	free(bench);
}

/* The key of the only ELF attachment in the recording, to free(); NULL: it has no attachment. */
static char *attached_key(struct bench *bench)
{
	struct data_file *file;
	struct raw_record raw;
	char path[32], *error = NULL, *key = NULL;

	assert_int_equal(capture_write(bench->capture, bench->writer, SIZE_MAX), 0);
	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->recording_fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1)
		data_block_unref(raw.block);
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind != ATTACHMENT_ELF)
			continue;
		assert_null(key);
		assert_true(attachment->is_complete);
		assert_int_equal(attachment->size, FILE_SIZE);
		key = strdup(attachment->key);
	}
	data_file_close(file);
	return key;
}

static bool can_follow_map_files(const struct bench *bench)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64,
		 bench->mapping.start, bench->mapping.end);
	int fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_file_that_stays_is_not_kept(void **state)
{
	SKIP_IF_EMULATED("mounts");
	struct bench *bench = bench_create(1 << 20);
	struct build_id id;

	(void)state;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, &id), CAPTURE_HERE);
	assert_int_equal(id.size, 8);
	assert_int_equal(id.bytes[0], 7);
	capture_recheck(bench->capture, SIZE_MAX);
	assert_false(capture_is_pending(bench->capture));
	assert_null(attached_key(bench));
	bench_destroy(bench);
}

static void a_file_that_is_gone_is_had_from_the_mapping(void **state)
{
	struct bench *bench = bench_create(1 << 20);
	char path[96], key[192];

	(void)state;
	unlink(bench->path);
	snprintf(path, sizeof(path), "%s (deleted)", bench->path);
	bench->mapping.path = path;
	if (!can_follow_map_files(bench)) {
		bench_destroy(bench);
		print_message("/proc/PID/map_files takes CAP_CHECKPOINT_RESTORE\n");
		skip();
	}
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_KEPT);
	/* Seen again, it is known. */
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_KEPT);
	snprintf(key, sizeof(key), "0700000000000000 %u:%u:%" PRIu64 " %s",
		 bench->mapping.dev_major, bench->mapping.dev_minor, bench->mapping.inode, path);
	char *attached = attached_key(bench);
	assert_string_equal(attached, key);
	assert_int_equal(capture_stats(bench->capture)->n_kept, 1);
	assert_int_equal(capture_stats(bench->capture)->n_bytes, FILE_SIZE);
	free(attached);
	bench_destroy(bench);
}

static void a_file_replaced_later_is_kept_when_that_is_seen(void **state)
{
	SKIP_IF_EMULATED("mounts");
	struct bench *bench = bench_create(1 << 20);
	char other[80];

	(void)state;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_HERE);
	snprintf(other, sizeof(other), "%s.new", bench->path);
	write_program(other, 8);
	assert_int_equal(rename(other, bench->path), 0);
	munmap(bench->mapped, FILE_SIZE); /* nor does the process live on */
	bench->mapped = NULL;
	capture_recheck(bench->capture, SIZE_MAX);
	assert_true(capture_is_pending(bench->capture));
	char *key = attached_key(bench);
	assert_int_equal(strncmp(key, "0700", 4), 0);
	free(key);
	bench_destroy(bench);
}

static void another_file_at_the_path_is_not_taken_for_it(void **state)
{
	struct bench *bench = bench_create(1 << 20);

	(void)state;
	bench->mapping.build_id = (struct build_id){ .size = 8, .bytes = { 9 } };
	bench->mapping.inode = 0;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_MISSED);
	assert_int_equal(capture_stats(bench->capture)->n_missed, 1);
	assert_string_equal(capture_example(bench->capture, false), bench->path);
	assert_null(attached_key(bench));
	bench_destroy(bench);
}

static void a_file_that_came_too_late_is_had_when_it_is_mapped_again(void **state)
{
	struct bench *bench = bench_create(1 << 20);
	struct observed_mapping late = bench->mapping;
	char other[80];

	(void)state;
	snprintf(other, sizeof(other), "%s.new", bench->path);
	write_program(other, 8);
	assert_int_equal(rename(other, bench->path), 0);
	/* Its address range is another file's by now. */
	late.build_id = (struct build_id){ .size = 8, .bytes = { 7 } };
	late.start = late.end = 0;
	assert_int_equal(capture_see(bench->capture, &late, NULL), CAPTURE_MISSED);
	assert_int_equal(capture_stats(bench->capture)->n_missed, 1);
	late.start = bench->mapping.start;
	late.end = bench->mapping.end;
	if (can_follow_map_files(bench)) {
		assert_int_equal(capture_see(bench->capture, &late, NULL), CAPTURE_KEPT);
		assert_int_equal(capture_stats(bench->capture)->n_missed, 0);
		assert_null(capture_example(bench->capture, false));
		char *key = attached_key(bench);
		assert_int_equal(strncmp(key, "0700", 4), 0);
		free(key);
	}
	bench_destroy(bench);
}

/* No descriptor is free meanwhile. */
static enum capture_state see_without_descriptors(struct bench *bench)
{
	struct rlimit limit, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	enum capture_state state = capture_see(bench->capture, &bench->mapping, NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return state;
}

static void a_file_that_no_descriptor_was_left_for_is_counted_as_that(void **state)
{
	SKIP_IF_EMULATED("limits");
	struct bench *bench = bench_create(1 << 20);

	(void)state;
	assert_int_equal(see_without_descriptors(bench), CAPTURE_MISSED);
	assert_int_equal(capture_stats(bench->capture)->n_missed, 1);
	assert_int_equal(capture_stats(bench->capture)->n_without_descriptor, 1);
	assert_string_equal(capture_example(bench->capture, true), bench->path);
	assert_null(capture_example(bench->capture, false));
	bench_destroy(bench);
}

static void the_build_id_alone_identifies_a_file(void **state)
{
	SKIP_IF_EMULATED("mounts");
	struct bench *bench = bench_create(1 << 20);

	(void)state;
	bench->mapping.build_id = (struct build_id){ .size = 8, .bytes = { 7 } };
	bench->mapping.inode = 0;
	bench->mapping.dev_major = bench->mapping.dev_minor = 0;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_HERE);
	bench_destroy(bench);
}

static void data_is_kept_only_once_it_is_code(void **state)
{
	struct bench *bench = bench_create(1 << 20);

	(void)state;
	bench->mapping.inode++; /* the path leads elsewhere, and so does the mapping */
	bench->mapping.pid = 4194304;
	bench->mapping.is_code = false;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_DATA);
	assert_int_equal(capture_stats(bench->capture)->n_missed, 0);
	bench->mapping.is_code = true;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_MISSED);
	bench_destroy(bench);
}

static void what_is_no_file_is_left_alone(void **state)
{
	static const char *const paths[] = { "[vdso]",
					     "//anon",
					     "[heap]",
					     "",
					     "/dev/zero (deleted)",
					     "/SYSV00000000 (deleted)",
					     "anon_inode:[perf_event]" };
	struct bench *bench = bench_create(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		bench->mapping.path = paths[i];
		assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_NONE);
	}
	assert_int_equal(capture_stats(bench->capture)->n_missed, 0);
	bench_destroy(bench);
}

static void no_more_is_kept_than_was_allowed(void **state)
{
	SKIP_IF_EMULATED("mounts");
	struct bench *bench = bench_create(FILE_SIZE - 1);

	(void)state;
	assert_int_equal(capture_see(bench->capture, &bench->mapping, NULL), CAPTURE_HERE);
	unlink(bench->path);
	capture_recheck(bench->capture, SIZE_MAX);
	assert_null(attached_key(bench));
	assert_int_equal(capture_stats(bench->capture)->n_missed, 1);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_stays_is_not_kept),
		cmocka_unit_test(a_file_that_is_gone_is_had_from_the_mapping),
		cmocka_unit_test(a_file_replaced_later_is_kept_when_that_is_seen),
		cmocka_unit_test(another_file_at_the_path_is_not_taken_for_it),
		cmocka_unit_test(a_file_that_came_too_late_is_had_when_it_is_mapped_again),
		cmocka_unit_test(a_file_that_no_descriptor_was_left_for_is_counted_as_that),
		cmocka_unit_test(the_build_id_alone_identifies_a_file),
		cmocka_unit_test(data_is_kept_only_once_it_is_code),
		cmocka_unit_test(what_is_no_file_is_left_alone),
		cmocka_unit_test(no_more_is_kept_than_was_allowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
