#include "collector/record/start/synthesize.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/file_text.h"
#include "cct/text/maps_line.h"
#include "collector/record/observers/kernel_modules.h"
#include "perf/writer/record_build.h"

/* tools/perf/util/event.h: this FORK inherits no mappings, for the child's own follow. */
#define MISC_FORK_EXEC PERF_RECORD_MISC_COMM_EXEC
/* enum perf_record_ksymbol_type of 5.9; older build machines lack the name. */
#define KSYMBOL_TYPE_OOL 2
#define COMM_SPACE       64 /* kernel threads may have long names */
#define EXEC_COMM_LENGTH 15 /* what exec keeps of a program's name */
#define FILENAME_MAX_ALL (PATH_MAX + 16)

struct synthesizer {
	struct synthesize_options options;
	int proc_fd;
	DIR *processes; /* NULL: options.pids */
	size_t next_pid;
	struct file_text maps; /* of the process at hand */
};

static struct record_builder builder_of(const struct synthesize_options *options)
{
	return (struct record_builder){
		.writer = options->writer,
		.attr = options->attr,
		.id = options->id,
		.time_ns = options->time_ns,
	};
}

static int put_comm(const struct synthesize_options *options, pid_t pid, pid_t tid,
		    const char *comm)
{
	struct record_builder builder = builder_of(options);

	int err = record_build_begin(&builder, PERF_RECORD_COMM, 0, 8 + COMM_SPACE + 8);
	if (err)
		return err;
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u32(&builder, (uint32_t)tid);
	record_build_string(&builder, comm, strlen(comm));
	return record_build_end(&builder, pid, tid);
}

static int put_thread(const struct synthesize_options *options, pid_t pid, pid_t tid)
{
	struct record_builder builder = builder_of(options);

	int err = record_build_begin(&builder, PERF_RECORD_FORK, MISC_FORK_EXEC, 24);
	if (err)
		return err;
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u32(&builder, (uint32_t)tid);
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u64(&builder, 0);
	return record_build_end(&builder, pid, tid);
}

static void build_file_identity(struct record_builder *builder, const struct maps_line *line,
				const struct build_id *build_id)
{
	uint8_t id[24] = { build_id->size };

	if (build_id->size) {
		memcpy(id + 4, build_id->bytes, build_id->size);
		record_build_add(builder, id, sizeof(id));
		return;
	}
	record_build_u32(builder, line->dev_major);
	record_build_u32(builder, line->dev_minor);
	record_build_u64(builder, line->inode);
	record_build_u64(builder, 0);
}

static int put_mmap2(const struct synthesize_options *options, pid_t pid,
		     const struct maps_line *line, const struct build_id *build_id)
{
	size_t path_size = strlen(line->path);
	uint32_t misc = PERF_RECORD_MISC_USER;
	struct record_builder builder = builder_of(options);

	if (path_size > FILENAME_MAX_ALL)
		return 0;
	if (!(line->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (build_id->size)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	int err = record_build_begin(&builder, PERF_RECORD_MMAP2, misc, 64 + path_size + 8);
	if (err)
		return err;
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u32(&builder, (uint32_t)pid);
	record_build_u64(&builder, line->start);
	record_build_u64(&builder, line->end - line->start);
	record_build_u64(&builder, line->pgoff);
	build_file_identity(&builder, line, build_id);
	record_build_u32(&builder, line->prot);
	record_build_u32(&builder, line->flags);
	record_build_string(&builder, line->path, path_size);
	return record_build_end(&builder, pid, pid);
}

/* Stacks may be there. */
static bool is_own_data(const struct maps_line *line)
{
	const uint32_t prot = PROT_READ | PROT_WRITE;

	return (line->prot & prot) == prot && line->flags == MAP_PRIVATE && !line->inode;
}

/* Executable memory of any kind; mapped files, because they contain unwind information; and memory
 * that may contain stacks, whose ends show why the copy of a stack ends. */
static bool is_wanted(const struct maps_line *line)
{
	return line->prot & PROT_EXEC || line->path[0] == '/' || is_own_data(line);
}

static int put_mapping(const struct synthesizer *synthesizer, pid_t pid, struct maps_line *line)
{
	const struct observed_mapping mapping = {
		.pid = pid,
		.start = line->start,
		.end = line->end,
		.offset = line->pgoff,
		.path = line->path,
		.dev_major = line->dev_major,
		.dev_minor = line->dev_minor,
		.inode = line->inode,
		.is_code = line->prot & PROT_EXEC,
	};
	struct build_id build_id = { 0 };

	recording_observers_see_mapping(synthesizer->options.observers, &mapping, &build_id);
	if (!line->path[0])
		line->path = "//anon";
	return put_mmap2(&synthesizer->options, pid, line, &build_id);
}

static int put_mappings(struct synthesizer *synthesizer, int process_fd, pid_t pid)
{
	_cleanup_close_ int fd = openat(process_fd, "maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* gone, or not ours to look at */
	int err = file_text_read(&synthesizer->maps, fd);
	if (err)
		return err == -ENOMEM ? err : 0;
	char *line = synthesizer->maps.bytes; /* empty: a kernel thread */
	for (char *newline; !err && (newline = strchr(line, '\n')); line = newline + 1) {
		struct maps_line parsed;

		*newline = '\0';
		if (maps_line_parse(line, &parsed) && is_wanted(&parsed))
			err = put_mapping(synthesizer, pid, &parsed);
	}
	return err;
}

/* false: the task has exited. */
static bool read_comm(int dir_fd, const char *name, char comm[COMM_SPACE])
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, comm, COMM_SPACE - 1);

	if (n <= 0)
		return false;
	comm[comm[n - 1] == '\n' ? n - 1 : n] = '\0';
	return true;
}

static int put_threads(struct synthesizer *synthesizer, int process_fd, pid_t pid)
{
	const struct synthesize_options *options = &synthesizer->options;
	struct stat st;
	int err = 0;

	/* Each thread is a subdirectory, so a directory with 3 links has one thread. */
	if (fstatat(process_fd, "task", &st, 0) != 0 || st.st_nlink == 3)
		return 0;
	int fd = openat(process_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *threads = fd < 0 ? NULL : fdopendir(fd);
	if (!threads) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *entry; !err && (entry = readdir(threads));) {
		pid_t tid = atoi(entry->d_name);
		char name[sizeof(entry->d_name) + 8], comm[COMM_SPACE];

		snprintf(name, sizeof(name), "%s/comm", entry->d_name);
		if (tid <= 0 || tid == pid || !read_comm(fd, name, comm))
			continue;
		err = options->time_ns || options->is_again ? 0 : put_thread(options, pid, tid);
		if (!err)
			err = put_comm(options, pid, tid, comm);
	}
	closedir(threads);
	return err;
}

static int put_process(struct synthesizer *synthesizer, pid_t pid)
{
	char name[16], comm[COMM_SPACE];

	snprintf(name, sizeof(name), "%d", pid);
	_cleanup_close_ int fd =
		openat(synthesizer->proc_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || !read_comm(fd, "comm", comm))
		return 0;
	int err = put_comm(&synthesizer->options, pid, pid, comm);
	if (!err)
		err = put_threads(synthesizer, fd, pid);
	return err ? err : put_mappings(synthesizer, fd, pid);
}

/* 0: there are no more processes. */
static pid_t next_pid(struct synthesizer *synthesizer)
{
	if (!synthesizer->processes)
		return synthesizer->next_pid < synthesizer->options.n_pids
			       ? synthesizer->options.pids[synthesizer->next_pid++]
			       : 0;
	for (struct dirent *entry; (entry = readdir(synthesizer->processes));) {
		if (isdigit((unsigned char)entry->d_name[0]))
			return atoi(entry->d_name);
	}
	return 0;
}

int synthesizer_step(struct synthesizer *synthesizer, uint64_t time_ns)
{
	pid_t pid = next_pid(synthesizer);

	synthesizer->options.time_ns = time_ns;
	if (pid <= 0)
		return 0;
	int err = put_process(synthesizer, pid);
	return err ? err : 1;
}

int synthesizer_create(const struct synthesize_options *options,
		       struct synthesizer **synthesizer_ret)
{
	struct synthesizer *synthesizer = calloc(1, sizeof(*synthesizer));
	if (!synthesizer)
		return -ENOMEM;

	synthesizer->options = *options;
	synthesizer->proc_fd = open(options->proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (synthesizer->proc_fd >= 0 && !options->pids)
		synthesizer->processes = opendir(options->proc);
	if (synthesizer->proc_fd < 0 || (!options->pids && !synthesizer->processes)) {
		int err = -errno;
		synthesizer_destroy(synthesizer);
		return err;
	}
	*synthesizer_ret = synthesizer;
	return 0;
}

void synthesizer_destroy(struct synthesizer *synthesizer)
{
	if (!synthesizer)
		return;
	if (synthesizer->processes)
		closedir(synthesizer->processes);
	if (synthesizer->proc_fd >= 0)
		close(synthesizer->proc_fd);
	free(synthesizer->maps.bytes);
	free(synthesizer);
}

int synthesize_command(const struct synthesize_options *options, pid_t pid, const char *program)
{
	const char *slash = strrchr(program, '/');
	char comm[EXEC_COMM_LENGTH + 1];

	snprintf(comm, sizeof(comm), "%s", slash ? slash + 1 : program);
	return put_comm(options, pid, pid, comm);
}

static int put_kernel_mmap(const struct synthesize_options *options, uint64_t start, uint64_t size,
			   uint64_t pgoff, const char *name)
{
	struct record_builder builder = builder_of(options);

	int err = record_build_begin(&builder, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
				     40 + strlen(name) + 8);
	if (err)
		return err;
	record_build_u32(&builder, UINT32_MAX); /* the kernel's pid in perf's files */
	record_build_u32(&builder, 0);
	record_build_u64(&builder, start);
	record_build_u64(&builder, size);
	record_build_u64(&builder, pgoff);
	record_build_string(&builder, name, strlen(name));
	return record_build_end(&builder, -1, 0);
}

static int put_kernel_modules(const struct synthesize_options *options)
{
	struct kernel_modules_list list = { 0 };
	int err = kernel_modules_read(options->proc, &list);

	for (size_t i = 0; i < list.n && !err; i++) {
		const struct kernel_module *module = &list.modules[i];
		char bracketed[KERNEL_MODULE_NAME_SIZE + 2];

		snprintf(bracketed, sizeof(bracketed), "[%s]", module->name);
		err = put_kernel_mmap(options, module->start, module->size, 0, bracketed);
	}
	free(list.modules);
	return err;
}

int synthesize_kernel(const struct synthesize_options *options, uint64_t start, uint64_t end_addr,
		      const char *symbol)
{
	char name[128];

	if (start && end_addr > start) {
		snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbol);
		int err = put_kernel_mmap(options, start, end_addr - start, start, name);
		if (err)
			return err;
	}
	return put_kernel_modules(options);
}

int synthesize_kernel_code(const struct synthesize_options *options, const struct kernel_code *code)
{
	uint16_t type = code->is_bpf ? PERF_RECORD_KSYMBOL_TYPE_BPF : KSYMBOL_TYPE_OOL, flags = 0;
	struct record_builder builder = builder_of(options);

	int err = record_build_begin(&builder, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL,
				     16 + code->name_size + 8);
	if (err)
		return err;
	record_build_u64(&builder, code->addr);
	record_build_u32(&builder, code->len);
	record_build_add(&builder, &type, sizeof(type));
	record_build_add(&builder, &flags, sizeof(flags));
	record_build_string(&builder, code->name, code->name_size);
	return record_build_end(&builder, -1, 0);
}

int synthesize_cgroup(const struct synthesize_options *options, uint64_t id, const char *path)
{
	const size_t size = strlen(path);
	struct record_builder builder = builder_of(options);

	if (size > PATH_MAX)
		return 0;
	int err = record_build_begin(&builder, PERF_RECORD_CGROUP, 0, 8 + size + 8);
	if (err)
		return err;
	record_build_u64(&builder, id);
	record_build_string(&builder, path, size);
	return record_build_end(&builder, 0, 0);
}

int synthesize_lost(const struct synthesize_options *options, uint64_t id, uint64_t n_lost,
		    uint64_t time_ns)
{
	struct record_builder builder = builder_of(options);

	builder.id = id;
	builder.time_ns = time_ns;
	int err = record_build_begin(&builder, PERF_RECORD_LOST_SAMPLES, 0, 8);
	if (err)
		return err;
	record_build_u64(&builder, n_lost);
	return record_build_end(&builder, 0, 0);
}
