#include "collector/record/observers/jit_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/text/file_text.h"
#include "collector/attached/packer.h"
#include "collector/record/live/process_files.h"

#define PROCESSES_MAX     256
#define TEXT_MAX          (64u << 20)
#define FIRST_LOOK_NS     20000000u
#define LAST_LOOK_NS      NSEC_PER_SEC
#define COMPRESSION_LEVEL 3

struct jit_maps_stats {
	uint64_t n_refused; /* another user's, or no regular file */
	uint64_t n_missed;  /* too large, unreadable, or too many processes at a time */
};

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
	const char *proc; /* borrowed, as is the next */
	struct data_writer *writer;
	struct jit_process processes[PROCESSES_MAX];
	size_t n_processes;
	bool has_exited; /* one of them */
	struct jit_maps_stats stats;
};

static int begin(const struct observed_recording *recording, void **state)
{
	struct jit_maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return -ENOMEM;
	maps->proc = recording->proc;
	maps->writer = recording->writer;
	*state = maps;
	return 0;
}

static void destroy(void *state)
{
	struct jit_maps *maps = state;

	for (size_t i = 0; i < maps->n_processes; i++)
		cleanup_close(&maps->processes[i].fd);
	free(maps);
}

static struct jit_process *find_process(struct jit_maps *maps, int32_t pid)
{
	for (size_t i = 0; i < maps->n_processes; i++) {
		if (maps->processes[i].pid == pid && !maps->processes[i].has_exited)
			return &maps->processes[i];
	}
	return NULL;
}

/* Is a process's /tmp ours? */
static bool shares_root(const char *proc, int32_t pid)
{
	char path[PATH_MAX];
	struct stat root, ours;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/root", proc, pid);
	return stat(path, &root) == 0 && stat("/", &ours) == 0 && root.st_ino == ours.st_ino &&
	       root.st_dev == ours.st_dev;
}

static void see_process(struct jit_maps *maps, int32_t pid)
{
	uid_t uid;

	if (pid <= 0 || find_process(maps, pid) || process_user(maps->proc, pid, &uid))
		return;
	if (maps->n_processes == PROCESSES_MAX) {
		maps->stats.n_missed++;
		return;
	}
	maps->processes[maps->n_processes++] = (struct jit_process){
		.pid = pid,
		.own_pid = process_own_tid(maps->proc, pid, pid),
		.uid = uid,
		.shares_root = shares_root(maps->proc, pid),
		.fd = -1,
		.look_ns = now_ns(),
		.wait_ns = FIRST_LOOK_NS,
	};
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)build_id;
	if (observed_mapping_is_anonymous_code(mapping))
		see_process(state, mapping->pid);
}

static int see_sideband(void *state, const struct record *record)
{
	struct jit_maps *maps = state;
	struct observed_mapping mapping;

	if (observed_mapping_from_record(record, &mapping))
		see_mapping(maps, &mapping, NULL);
	if (record->type != PERF_RECORD_EXIT || record->task.pid != record->task.tid)
		return 0;
	struct jit_process *process = find_process(maps, record->task.pid);
	if (process)
		process->has_exited = maps->has_exited = true;
	return 0;
}

/* -1: there is no file, or it must not be trusted, which is counted. */
static int open_trusted(struct jit_maps *maps, struct jit_process *process, const char *root)
{
	char name[32];

	snprintf(name, sizeof(name), "perf-%" PRId32 ".map", process->own_pid);
	int fd = process_file_open_trusted(root, "tmp", name, process->uid);
	if (fd >= 0)
		return fd;
	if ((fd == -ELOOP || fd == -ENODEV || fd == -EPERM) && !process->is_refused) {
		process->is_refused = true;
		maps->stats.n_refused++;
	}
	return -1;
}

/* The file there is now takes the place of the one that was found before. */
static void look(struct jit_maps *maps, struct jit_process *process)
{
	char root[PATH_MAX];
	int fd = -1;

	snprintf(root, sizeof(root), "%s/%" PRId32 "/root", maps->proc, process->pid);
	if (!process->has_exited)
		fd = open_trusted(maps, process, root);
	else if (process->shares_root)
		fd = open_trusted(maps, process, "/");
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

static int attach(struct jit_maps *maps, const struct jit_process *process)
{
	struct file_text text = { 0 };
	struct stat st;
	char key[16];
	int err = 0;

	snprintf(key, sizeof(key), "%" PRId32, process->pid);
	if (fstat(process->fd, &st) != 0 || st.st_size > TEXT_MAX ||
	    file_text_read(&text, process->fd))
		maps->stats.n_missed++;
	else if (text.size)
		err = packer_attach(maps->writer, ATTACHMENT_PERF_MAP, key, text.bytes, text.size,
				    COMPRESSION_LEVEL);
	free(text.bytes);
	if (err != -ENOMEM)
		return err;
	maps->stats.n_missed++;
	return 0;
}

/* Of processes that exited, or of all. */
static int attach_all(struct jit_maps *maps, bool is_end)
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
			err = attach(maps, process);
		cleanup_close(&process->fd);
	}
	maps->n_processes = n;
	maps->has_exited = false;
	return err;
}

static int end_round(void *state, const struct observed_round *round)
{
	struct jit_maps *maps = state;

	(void)round;
	if (!maps->n_processes)
		return 0;
	look_in_time(maps);
	return maps->has_exited ? attach_all(maps, false) : 0;
}

static int finish(void *state)
{
	return attach_all(state, true);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct jit_maps *maps = state;

	if (maps->stats.n_refused)
		recording_notes_add(notes, false,
				    "%" PRIu64 " perf-PID.map files were ignored: owned by "
				    "another user, or symbolic links.",
				    maps->stats.n_refused);
	if (maps->stats.n_missed)
		recording_notes_add(notes, false,
				    "%" PRIu64 " perf-PID.map files could not be read or were too "
				    "large: code made at run time will have no names.",
				    maps->stats.n_missed);
}

const struct recording_observer jit_maps_observer = {
	.name = "perf-PID.map files",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_sideband = see_sideband,
	.end_round = end_round,
	.finish = finish,
	.advise = advise,
};
