/* A /proc made of files, and the records read back from the recording. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/observers/capture.h"
#include "collector/record/start/synthesize.h"
#include "perf/file/data_file.h"
#include "tests/unit/fixtures/emulated.h"

static uint64_t id = 77;

struct bench {
	char proc[64];
	int fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct observed_recording observed;
	struct recording_observers *observers;
	struct synthesize_options options;
	char *text; /* the records, a line each */
	size_t text_size;
};

static void put_file(const struct bench *bench, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", bench->proc, name);
	for (char *slash = path + strlen(bench->proc) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Whether the latest mapping was seen as code made at run time. */
static bool has_anonymous_code;

static int watch(const struct observed_recording *recording, void **state)
{
	(void)recording;
	*state = &has_anonymous_code;
	return 0;
}

static void watch_mapping(void *state, const struct observed_mapping *mapping,
			  struct build_id *build_id)
{
	(void)build_id;
	*(bool *)state = observed_mapping_is_anonymous_code(mapping);
}

static const struct recording_observer watcher = { .begin = watch, .see_mapping = watch_mapping };
enum { N_TABLE = 2 };
static const struct recording_observer *const table[N_TABLE] = { &capture_observer, &watcher };

static struct bench *bench_create(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct data_writer_options options = { .compression_level = 0 };

	snprintf(bench->proc, sizeof(bench->proc), "/tmp/dendro-test-XXXXXX");
	assert_non_null(mkdtemp(bench->proc));
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->attr = (struct perf_event_attr){
		.size = PERF_ATTR_SIZE_VER7,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	const struct data_writer_event events[] = { { &bench->attr, "dummy", &id, 1 } };
	assert_int_equal(
		data_writer_create(bench->fd, &options, events, 1, NULL, 0, &bench->writer), 0);
	bench->observed = (struct observed_recording){ .proc = "/proc", .writer = bench->writer };
	assert_int_equal(
		recording_observers_create(table, N_TABLE, &bench->observed, &bench->observers), 0);
	assert_int_equal(recording_observers_begin(bench->observers), 0);
	bench->options = (struct synthesize_options){ .writer = bench->writer,
						      .observers = bench->observers,
						      .attr = &bench->attr,
						      .id = id,
						      .proc = bench->proc };
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", bench->proc);
	assert_int_equal(system(command), 0);
	data_writer_destroy(bench->writer);
	recording_observers_destroy(bench->observers);
	close(bench->fd);
	free(bench->text);
	free(bench);
}

static void print_mmap(FILE *out, const struct record *record)
{
	fprintf(out, "%s %d %" PRIx64 "+%" PRIx64 " @%" PRIx64 " %c%c%c%s %s",
		record->type == PERF_RECORD_MMAP2 ? "mmap2" : "mmap", record->mmap.pid,
		record->mmap.addr, record->mmap.len, record->mmap.pgoff,
		record->mmap.prot & PROT_READ ? 'r' : '-',
		record->mmap.prot & PROT_WRITE ? 'w' : '-',
		record->mmap.prot & PROT_EXEC ? 'x' : '-', record->mmap.is_data ? " data" : "",
		record->mmap.filename);
	if (record->mmap.ino)
		fprintf(out, " %x:%x:%" PRIu64, record->mmap.maj, record->mmap.min,
			record->mmap.ino);
	fputc('\n', out);
}

static void print_record(FILE *out, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_COMM:
		fprintf(out, "comm %d/%d %s\n", record->comm.pid, record->comm.tid,
			record->comm.name);
		break;
	case PERF_RECORD_FORK:
		assert_true(record->misc & PERF_RECORD_MISC_COMM_EXEC); /* inherits nothing */
		fprintf(out, "fork %d/%d of %d/%d\n", record->task.pid, record->task.tid,
			record->task.ppid, record->task.ptid);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		print_mmap(out, record);
		break;
	case PERF_RECORD_CGROUP:
		fprintf(out, "cgroup %" PRIu64 " %s\n", record->cgroup.cgroup_id,
			record->cgroup.path);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		fprintf(out, "lost %" PRIu64 " of %" PRIu64 " at %" PRIu64 "\n", record->lost.lost,
			record->id, record->time_ns);
		return;
	}
	if (record->time_ns)
		fprintf(out, "  at %" PRIu64 "\n", record->time_ns);
	assert_int_equal(record->id, id);
}

/* All records as text, valid until bench_destroy(). */
static const char *records_of(struct bench *bench)
{
	FILE *out = open_memstream(&bench->text, &bench->text_size);
	struct data_file *file;
	struct raw_record raw;
	struct record record;
	char path[32], *error = NULL;
	size_t event;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1) {
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		print_record(out, &record);
		data_block_unref(raw.block);
	}
	data_file_close(file);
	fclose(out);
	return bench->text;
}

static void synthesize_all_at(struct bench *bench, uint64_t time_ns)
{
	struct synthesizer *synthesizer;
	int more;

	assert_int_equal(synthesizer_create(&bench->options, &synthesizer), 0);
	while ((more = synthesizer_step(synthesizer, time_ns)) > 0)
		;
	assert_int_equal(more, 0);
	synthesizer_destroy(synthesizer);
}

static void synthesize_all(struct bench *bench)
{
	synthesize_all_at(bench, 0);
}

static void processes_described_again_have_a_time_and_no_new_threads(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "100/comm", "worker\n");
	put_file(bench, "100/task/100/comm", "worker\n");
	put_file(bench, "100/task/101/comm", "helper one\n");
	put_file(bench, "100/maps", "5500001000-5500003000 r-xp 00000000 00:00 0 \n");
	synthesize_all_at(bench, 77);
	assert_string_equal(records_of(bench), "comm 100/100 worker\n  at 77\n"
					       "comm 100/101 helper one\n  at 77\n"
					       "mmap2 100 5500001000+2000 @0 r-x //anon\n"
					       "  at 77\n");
	bench_destroy(bench);
}

static void a_process_gives_its_name_threads_and_mappings(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "100/comm", "worker\n");
	put_file(bench, "100/task/100/comm", "worker\n");
	put_file(bench, "100/task/101/comm", "helper one\n");
	put_file(bench, "100/maps",
		 "5500000000-5500001000 r--p 00000000 fe:01 9999 /nowhere/program\n"
		 "5500001000-5500003000 r-xp 00001000 fe:01 9999 /nowhere/program\n"
		 "5500003000-5500004000 rw-p 00000000 00:00 0 \n"
		 "5500004000-5500005000 rwxp 00000000 00:00 0 \n"
		 "5600000000-5600021000 rw-p 00000000 00:00 0                  [heap]\n"
		 "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0              [stack]\n"
		 "7ffc00030000-7ffc00032000 r-xp 00000000 00:00 0              [vdso]\n"
		 "7ffc00040000-7ffc00042000 r-xp 00002000 fe:01 8 /a b/new\\012line\\x\n");
	synthesize_all(bench);
	assert_string_equal(records_of(bench),
			    "comm 100/100 worker\n"
			    "fork 100/101 of 100/100\n"
			    "comm 100/101 helper one\n"
			    "mmap2 100 5500000000+1000 @0 r-- data /nowhere/program fe:1:9999\n"
			    "mmap2 100 5500001000+2000 @1000 r-x /nowhere/program fe:1:9999\n"
			    "mmap2 100 5500003000+1000 @0 rw- data //anon\n"
			    "mmap2 100 5500004000+1000 @0 rwx //anon\n"
			    "mmap2 100 5600000000+21000 @0 rw- data [heap]\n"
			    "mmap2 100 7ffc00000000+21000 @0 rw- data [stack]\n"
			    "mmap2 100 7ffc00030000+2000 @0 r-x [vdso]\n"
			    "mmap2 100 7ffc00040000+2000 @2000 r-x /a b/new\nline\\x fe:1:8\n");
	bench_destroy(bench);
}

static void kernel_threads_have_a_name_only(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "2/comm", "kworker/0:1H-kblockd\n");
	put_file(bench, "2/maps", "");
	put_file(bench, "cpuinfo", "not a process\n");
	put_file(bench, "3/maps", "gone before its name was read\n");
	synthesize_all(bench);
	assert_string_equal(records_of(bench), "comm 2/2 kworker/0:1H-kblockd\n");
	bench_destroy(bench);
}

static void only_the_given_processes_are_read(void **state)
{
	static const pid_t pids[] = { 5, 4194304 };
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "4/comm", "no\n");
	put_file(bench, "5/comm", "yes\n");
	bench->options.pids = pids;
	bench->options.n_pids = 2;
	synthesize_all(bench);
	assert_string_equal(records_of(bench), "comm 5/5 yes\n");
	bench_destroy(bench);
}

static void the_kernels_own_pages_are_no_code_made_at_run_time(void **state)
{
	static const struct {
		const char *path;
		bool is_anonymous_code;
	} cases[] = { { "[vdso]", false },     { "", true },          { "[vsyscall]", false },
		      { "[anon:code]", true }, { "[heap]", true },    { "[uprobes]", false },
		      { "[stack]", true },     { "/dev/zero", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *bench = bench_create();
		char line[128];

		snprintf(line, sizeof(line), "7000-8000 r-xp 00000000 00:00 0 %s\n", cases[i].path);
		put_file(bench, "7/comm", "plain\n");
		put_file(bench, "7/maps", line);
		has_anonymous_code = !cases[i].is_anonymous_code;
		synthesize_all(bench);
		assert_int_equal(has_anonymous_code, cases[i].is_anonymous_code);
		bench_destroy(bench);
	}
}

static void lines_that_make_no_sense_are_skipped(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "6/comm", "x");
	put_file(bench, "6/maps",
		 "\n"
		 "zz-1000 r-xp 00000000 00:00 0 /a\n"
		 "2000-1000 r-xp 00000000 00:00 0 /a\n"
		 "1000-2000 r-\n"
		 "1000-2000 r-xp 0 0:0\n"
		 "1000-2000 r-xp 00000000 00:00 5 /good\n"
		 "1000-2000 r-xp 00000000 00:00 5 /unfinished");
	synthesize_all(bench);
	assert_string_equal(records_of(bench), "comm 6/6 x\n"
					       "mmap2 6 1000+1000 @0 r-x /good 0:0:5\n");
	bench_destroy(bench);
}

static void a_mapped_file_has_its_build_id(void **state)
{
	SKIP_IF_EMULATED("mappings");
	struct bench *bench = bench_create();
	struct data_file *file;
	struct raw_record raw;
	struct record record;
	char path[32], *error = NULL;
	size_t event, n = 0, n_code = 0;

	(void)state;
	bench->options.proc = "/proc";
	bench->options.pids = &(pid_t){ getpid() };
	bench->options.n_pids = 1;
	synthesize_all(bench);
	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1) {
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		if (record.type == PERF_RECORD_MMAP2 && strstr(record.mmap.filename, "libc.so")) {
			n++;
			n_code += !record.mmap.is_data;
			assert_int_equal(record.mmap.build_id_size, 20);
		}
		data_block_unref(raw.block);
	}
	assert_true(n > 1);
	assert_int_equal(n_code, 1);
	data_file_close(file);
	bench_destroy(bench);
}

static void the_kernel_and_its_modules_are_mapped(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_file(bench, "modules",
		 "ext4 1040384 1 - Live 0xffffffffc0200000\n"
		 "hidden 4096 0 - Live 0x0000000000000000\n"
		 "jbd2 2007040 1 ext4, Live 0xffffffffc0100000 (OE)\n");
	assert_int_equal(
		synthesize_kernel(&bench->options, 0xffffffff81000000, 0xffffffff82200000, "_text"),
		0);
	assert_string_equal(
		records_of(bench),
		"mmap -1 ffffffff81000000+1200000 @ffffffff81000000 r-x [kernel.kallsyms]_text\n"
		"mmap -1 ffffffffc0100000+100000 @0 r-x [jbd2]\n" /* up to the next one */
		"mmap -1 ffffffffc0200000+fe000 @0 r-x [ext4]\n");
	bench_destroy(bench);
}

static void losses_name_their_event_and_time(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	assert_int_equal(synthesize_lost(&bench->options, 33, 1234, 99), 0);
	assert_string_equal(records_of(bench), "lost 1234 of 33 at 99\n");
	bench_destroy(bench);
}

static void cgroups_have_their_number_and_path(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	assert_int_equal(synthesize_cgroup(&bench->options, 8708, "/system.slice/ssh.service"), 0);
	assert_string_equal(records_of(bench), "cgroup 8708 /system.slice/ssh.service\n");
	bench_destroy(bench);
}

static void a_command_has_the_name_that_exec_will_give_it(void **state)
{
	struct bench *bench = bench_create();
	(void)state;

	assert_int_equal(synthesize_command(&bench->options, 71, "/usr/bin/python3"), 0);
	assert_int_equal(synthesize_command(&bench->options, 72, "a-name-of-17-char"), 0);
	assert_string_equal(records_of(bench), "comm 71/71 python3\n"
					       "comm 72/72 a-name-of-17-ch\n");
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_gives_its_name_threads_and_mappings),
		cmocka_unit_test(processes_described_again_have_a_time_and_no_new_threads),
		cmocka_unit_test(kernel_threads_have_a_name_only),
		cmocka_unit_test(only_the_given_processes_are_read),
		cmocka_unit_test(the_kernels_own_pages_are_no_code_made_at_run_time),
		cmocka_unit_test(lines_that_make_no_sense_are_skipped),
		cmocka_unit_test(a_mapped_file_has_its_build_id),
		cmocka_unit_test(the_kernel_and_its_modules_are_mapped),
		cmocka_unit_test(losses_name_their_event_and_time),
		cmocka_unit_test(cgroups_have_their_number_and_path),
		cmocka_unit_test(a_command_has_the_name_that_exec_will_give_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
