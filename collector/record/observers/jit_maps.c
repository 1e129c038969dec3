#include "collector/record/observers/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "cct/base/cleanup.h"
#include "cct/base/monotonic.h"
#include "collector/attached/attached_text.h"
#include "collector/record/observers/code_reader.h"

#define PROCESSES_MAX     256
#define TEXT_MAX          (64u << 20)
#define FIRST_LOOK_NS     20000000u
#define LAST_LOOK_NS      1000000000u
#define COMPRESSION_LEVEL 3

struct jit_process {
	int32_t pid;
	int32_t own_pid; /* in its own namespace */
	uid_t uid;
	bool shares_root; /* its /tmp is ours, and it is there when the process is gone */
	bool has_exited;
	bool is_refused; /* counted once */
	int fd;          /* the file, -1: not found yet */
	uint64_t look_ns, wait_ns;
};

struct jit_maps {
	struct jit_process processes[PROCESSES_MAX];
	size_t n_processes;
	bool has_exited; /* one of them */
	struct jit_maps_stats stats;
};

struct jit_maps *jit_maps_create(void)
{
	return calloc(1, sizeof(struct jit_maps));
}

void jit_maps_destroy(struct jit_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->n_processes; i++)
		cleanup_close(&maps->processes[i].fd);
	free(maps);
}

const struct jit_maps_stats *jit_maps_stats(const struct jit_maps *maps)
{
	return &maps->stats;
}

static struct jit_process *find_process(struct jit_maps *maps, int32_t pid)
{
	for (size_t i = 0; i < maps->n_processes; i++) {
		if (maps->processes[i].pid == pid && !maps->processes[i].has_exited)
			return &maps->processes[i];
	}
	return NULL;
}

/* The last number of "NSpid:" in /proc/PID/status. */
static int32_t pid_inside(int32_t pid)
{
	char path[32], line[256];
	int32_t inside = pid;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	FILE *status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		const char *last = strrchr(line, '\t');
		if (strncmp(line, "NSpid:", 6) == 0 && last)
			inside = (int32_t)strtol(last, NULL, 10);
	}
	if (status)
		fclose(status);
	return inside;
}

void jit_maps_see_process(struct jit_maps *maps, int32_t pid)
{
	char path[32];
	struct stat process, root, ours;

	if (pid <= 0 || find_process(maps, pid))
		return;
	snprintf(path, sizeof(path), "/proc/%" PRId32, pid);
	if (stat(path, &process) != 0)
		return;
	if (maps->n_processes == PROCESSES_MAX) {
		maps->stats.n_missed++;
		return;
	}
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", pid);
	maps->processes[maps->n_processes++] = (struct jit_process){
		.pid = pid,
		.own_pid = pid_inside(pid),
		.uid = process.st_uid,
		.shares_root = stat(path, &root) == 0 && stat("/", &ours) == 0 &&
			       root.st_ino == ours.st_ino && root.st_dev == ours.st_dev,
		.fd = -1,
		.look_ns = now_ns(),
		.wait_ns = FIRST_LOOK_NS,
	};
}

void jit_maps_see_record(struct jit_maps *maps, const struct record *record)
{
	struct jit_process *process;

	if (record_maps_code_of_no_file(record))
		jit_maps_see_process(maps, record->mmap.pid);
	if (record->type != PERF_RECORD_EXIT || record->task.pid != record->task.tid)
		return;
	process = find_process(maps, record->task.pid);
	if (process)
		process->has_exited = maps->has_exited = true;
}

/* No component may be a link, which another user could have made. */
static int open_map(const char *root, int32_t pid)
{
	char name[32];
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int tmp_fd = -1;

	if (root_fd < 0)
		return -1;
	tmp_fd = openat(root_fd, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tmp_fd < 0)
		return -1;
	snprintf(name, sizeof(name), "perf-%" PRId32 ".map", pid);
	return openat(tmp_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int open_trusted(struct jit_maps *maps, struct jit_process *process, const char *root,
			int32_t pid)
{
	int fd = open_map(root, pid);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == process->uid || st.st_uid == 0))
		return fd;
	if ((fd >= 0 || errno == ELOOP) && !process->is_refused) {
		process->is_refused = true;
		maps->stats.n_refused++;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The file there is now takes the place of the one that was found before. */
static void look(struct jit_maps *maps, struct jit_process *process)
{
	char root[32];
	int fd = -1;

	snprintf(root, sizeof(root), "/proc/%" PRId32 "/root", process->pid);
	if (!process->has_exited)
		fd = open_trusted(maps, process, root, process->own_pid);
	else if (process->shares_root)
		fd = open_trusted(maps, process, "/", process->own_pid);
	if (fd < 0)
		return;
	cleanup_close(&process->fd);
	process->fd = fd;
}

static void look_in_time(struct jit_maps *maps)
{
	uint64_t now = now_ns();

	for (size_t i = 0; i < maps->n_processes; i++) {
		struct jit_process *process = &maps->processes[i];

		if (process->fd >= 0 || process->has_exited || now < process->look_ns)
			continue;
		look(maps, process);
		process->look_ns = now + process->wait_ns;
		process->wait_ns *= 2;
		if (process->wait_ns > LAST_LOOK_NS)
			process->wait_ns = LAST_LOOK_NS;
	}
}

static int attach(struct jit_maps *maps, const struct jit_process *process,
		  struct data_writer *writer)
{
	struct attached_text text = { 0 };
	struct stat st;
	char key[16];
	size_t bound, size = 0;

	if (fstat(process->fd, &st) == 0 && st.st_size <= TEXT_MAX &&
	    attached_text_read(&text, process->fd) == 0)
		size = text.size;
	_cleanup_free_ char *bytes = text.bytes;
	if (!size) {
		maps->stats.n_missed += st.st_size > 0;
		return 0;
	}
	bound = ZSTD_compressBound(size);
	_cleanup_free_ void *compressed = malloc(bound);
	if (compressed)
		bound = ZSTD_compress(compressed, bound, bytes, size, COMPRESSION_LEVEL);
	if (!compressed || ZSTD_isError(bound)) {
		maps->stats.n_missed++;
		return 0;
	}
	maps->stats.n_kept++;
	snprintf(key, sizeof(key), "%" PRId32, process->pid);
	return data_writer_attach(writer, ATTACHMENT_PERF_MAP, key, compressed, bound);
}

/* Of processes that exited, or of all. */
static int attach_all(struct jit_maps *maps, struct data_writer *writer, bool is_end)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < maps->n_processes; i++) {
		struct jit_process *process = &maps->processes[i];

		if (!is_end && !process->has_exited) {
			maps->processes[n++] = *process;
			continue;
		}
		look(maps, process);
		if (process->fd >= 0 && !err)
			err = attach(maps, process, writer);
		cleanup_close(&process->fd);
	}
	maps->n_processes = n;
	maps->has_exited = false;
	return err;
}

int jit_maps_end_round(struct jit_maps *maps, struct data_writer *writer)
{
	if (!maps->n_processes)
		return 0;
	look_in_time(maps);
	return maps->has_exited ? attach_all(maps, writer, false) : 0;
}

int jit_maps_finish(struct jit_maps *maps, struct data_writer *writer)
{
	return attach_all(maps, writer, true);
}
