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
#include "collector/record/observing/process_list.h"

#define TEXT_MAX          (64u << 20)
#define FIRST_LOOK_NS     20000000u
#define LAST_LOOK_NS      NSEC_PER_SEC
#define COMPRESSION_LEVEL 3

struct jit_maps_stats {
	uint64_t n_refused; /* another user's, or no regular file */
	uint64_t n_missed;  /* too large, unreadable, or too many processes at a time */
};

struct jit_process {
	struct listed_process listed;
	int32_t own_pid; /* in its own namespace */
	uid_t uid;
	bool shares_root; /* its /tmp is ours, and it is there when the process is gone */
	bool is_refused;  /* counted once */
	int fd;           /* the file, -1: not found yet */
	uint64_t look_ns, wait_ns;
};

struct jit_maps {
	const char *proc; /* borrowed, as is the next */
	struct data_writer *writer;
	struct process_list processes;
	int error; /* of the writer */
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

static bool remove_process(void *owner, struct listed_process *listed)
{
	struct jit_process *process = (struct jit_process *)listed;

	(void)owner;
	cleanup_close(&process->fd);
	free(process);
	return true;
}

static void destroy(void *state)
{
	struct jit_maps *maps = state;

	process_list_leave(&maps->processes, true, remove_process, maps);
	free(maps);
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

	if (pid <= 0 || process_list_find(&maps->processes, pid) ||
	    process_user(maps->proc, pid, &uid))
		return;
	struct jit_process *process = calloc(1, sizeof(*process));
	if (!process || !process_list_add(&maps->processes, &process->listed)) {
		free(process);
		maps->stats.n_missed++;
		return;
	}
	*process = (struct jit_process){
		.listed.pid = pid,
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

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	see_mapping(state, mapping, NULL);
}

static int see_sideband(void *state, const struct record *record)
{
	struct jit_maps *maps = state;

	process_list_see_record(&maps->processes, record);
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

	snprintf(root, sizeof(root), "%s/%" PRId32 "/root", maps->proc, process->listed.pid);
	if (!process->listed.has_exited)
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

	for (size_t i = 0; i < maps->processes.n; i++) {
		struct jit_process *process = (struct jit_process *)maps->processes.processes[i];

		if (process->fd >= 0 || process->listed.has_exited || now < process->look_ns)
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

	snprintf(key, sizeof(key), "%" PRId32, process->listed.pid);
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

static bool leave(void *owner, struct listed_process *listed)
{
	struct jit_process *process = (struct jit_process *)listed;
	struct jit_maps *maps = owner;

	look(maps, process);
	if (process->fd >= 0 && !maps->error)
		maps->error = attach(maps, process);
	return remove_process(maps, listed);
}

static int end_round(void *state, const struct observed_round *round)
{
	struct jit_maps *maps = state;

	(void)round;
	if (!maps->processes.n)
		return 0;
	look_in_time(maps);
	if (maps->processes.has_exited)
		process_list_leave(&maps->processes, false, leave, maps);
	return maps->error;
}

static int finish(void *state)
{
	struct jit_maps *maps = state;

	process_list_leave(&maps->processes, true, leave, maps);
	return maps->error;
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct jit_maps *maps = state;

	if (maps->stats.n_refused)
		recording_notes_add_counted(notes, false, maps->stats.n_refused,
					    "perf-PID.map {file was|files were} ignored: owned by "
					    "another user, or {a symbolic link|symbolic links}.");
	if (maps->stats.n_missed)
		recording_notes_add_counted(
			notes, false, maps->stats.n_missed,
			"perf-PID.map {file|files} could not be read or {was|were} too large: code "
			"made at run time will have no names.");
}

const struct recording_observer jit_maps_observer = {
	.name = "perf-PID.map files",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.see_sideband = see_sideband,
	.end_round = end_round,
	.finish = finish,
	.advise = advise,
};
