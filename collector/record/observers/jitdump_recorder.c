#include "collector/record/observers/jitdump_recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/attached/jitdump.h"
#include "collector/attached/packer.h"
#include "collector/record/live/process_files.h"
#include "collector/record/observing/process_list.h"

/* Compressing takes time from the rings. */
#define ROUND_SIZE_MAX    (4u << 20)
#define CHUNK_SIZE        (256u << 10)
#define COMPRESSION_LEVEL 3

struct jitdump_stats {
	uint64_t n_cut;     /* larger than JITDUMP_SIZE_MAX, the rest was left out */
	uint64_t n_refused; /* another user's, or no regular file */
	uint64_t n_missed;  /* gone, unreadable, or too many processes at a time */
};

struct recorded_dump {
	struct listed_process listed;
	uint64_t inode;
	char *key; /* of the attachment */
	int fd;
	/* While it is compressed. */
	struct packer packer;
	uint64_t size, n_read;
};

struct jitdump_recorder {
	const char *proc; /* borrowed, as is the next */
	struct data_writer *writer;
	struct process_list dumps;
	size_t budget; /* how many bytes may still be compressed in this round */
	int error;     /* of the writer */
	struct jitdump_stats stats;
	char chunk[CHUNK_SIZE];
};

static int begin(const struct observed_recording *recording, void **state)
{
	struct jitdump_recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return -ENOMEM;
	recorder->proc = recording->proc;
	recorder->writer = recording->writer;
	*state = recorder;
	return 0;
}

static void recorded_dump_destroy(struct recorded_dump *dump)
{
	if (!dump)
		return;
	cleanup_close(&dump->fd);
	packer_deinit(&dump->packer);
	free(dump->key);
	free(dump);
}

static bool remove_dump(void *owner, struct listed_process *listed)
{
	(void)owner;
	recorded_dump_destroy((struct recorded_dump *)listed);
	return true;
}

static void destroy(void *state)
{
	struct jitdump_recorder *recorder = state;

	process_list_leave(&recorder->dumps, true, remove_dump, recorder);
	free(recorder);
}

/* By the mapping itself, or by its path, from the process's root or ours. */
static int open_mapped(const char *proc, const struct observed_mapping *mapping)
{
	int fd = process_file_open_mapped(proc, mapping->pid, mapping->start, mapping->end);

	if (fd < 0 && fd != -ENODEV)
		fd = process_file_open(proc, mapping->pid, mapping->path, false);
	if (fd < 0 && fd != -ENODEV && fd != -ELOOP)
		fd = process_file_open_here(mapping->path, false);
	return fd;
}

/* Of a process that is gone we know only that we may have started it. */
static uid_t user_of(const char *proc, int32_t pid)
{
	uid_t uid;

	return process_user(proc, pid, &uid) ? geteuid() : uid;
}

/* -1: there is no file, or it must not be trusted, which is counted. */
static int open_trusted(struct jitdump_recorder *recorder, const struct observed_mapping *mapping)
{
	struct stat st;
	int fd = open_mapped(recorder->proc, mapping);

	bool is_refused = fd == -ENODEV || fd == -ELOOP;

	if (!is_refused && (fd < 0 || fstat(fd, &st) != 0 || st.st_ino != mapping->inode)) {
		recorder->stats.n_missed++;
	} else if (is_refused ||
		   !process_file_is_trusted(fd, user_of(recorder->proc, mapping->pid))) {
		recorder->stats.n_refused++;
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static char *key_of(const struct observed_mapping *mapping)
{
	char *key;

	return asprintf(&key, "%" PRId32 " %" PRIu32 ":%" PRIu32 ":%" PRIu64 " %s", mapping->pid,
			mapping->dev_major, mapping->dev_minor, mapping->inode, mapping->path) < 0
		       ? NULL
		       : key;
}

static bool is_known(const struct jitdump_recorder *recorder,
		     const struct observed_mapping *mapping)
{
	for (size_t i = 0; i < recorder->dumps.n; i++) {
		const struct recorded_dump *dump =
			(const struct recorded_dump *)recorder->dumps.processes[i];

		if (dump->listed.pid == mapping->pid && dump->inode == mapping->inode &&
		    !dump->listed.has_exited)
			return true;
	}
	return false;
}

static void add_dump(struct jitdump_recorder *recorder, const struct observed_mapping *mapping)
{
	if (mapping->pid <= 0 || is_known(recorder, mapping))
		return;
	if (recorder->dumps.n == PROCESS_LIST_MAX) {
		recorder->stats.n_missed++;
		return;
	}
	int fd = open_trusted(recorder, mapping);
	struct recorded_dump *dump = fd >= 0 ? calloc(1, sizeof(*dump)) : NULL;
	char *key = dump ? key_of(mapping) : NULL;
	if (!key) {
		recorder->stats.n_missed += fd >= 0;
		cleanup_close(&fd);
		free(dump);
		return;
	}
	*dump = (struct recorded_dump){
		.listed.pid = mapping->pid, .inode = mapping->inode, .key = key, .fd = fd
	};
	process_list_add(&recorder->dumps, &dump->listed);
}

/* No code is in such a mapping: it leads to a file. */
static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)build_id;
	if (mapping->is_code && jitdump_is_marker(mapping->path))
		add_dump(state, mapping);
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	see_mapping(state, mapping, NULL);
}

static int see_sideband(void *state, const struct record *record)
{
	struct jitdump_recorder *recorder = state;

	process_list_see_record(&recorder->dumps, record);
	return 0;
}

/* The size is that of now: what is written later comes too late. */
static bool dump_begin(struct jitdump_recorder *recorder, struct recorded_dump *dump)
{
	struct stat st;

	if (dump->packer.stream)
		return true;
	if (fstat(dump->fd, &st) != 0 || packer_begin(&dump->packer, COMPRESSION_LEVEL))
		return false;
	dump->size = (uint64_t)st.st_size;
	if (dump->size > JITDUMP_SIZE_MAX) {
		dump->size = JITDUMP_SIZE_MAX;
		recorder->stats.n_cut++;
	}
	return true;
}

/* Reads as far as the budget allows. 1: all is compressed; 0: not yet; -1: it can't be. */
static int read_some(struct jitdump_recorder *recorder, struct recorded_dump *dump)
{
	bool is_last = false;

	if (!dump_begin(recorder, dump))
		return -1;
	while (!is_last && recorder->budget) {
		uint64_t left = dump->size - dump->n_read;
		size_t wanted = left < CHUNK_SIZE ? (size_t)left : CHUNK_SIZE;
		ssize_t n = pread(dump->fd, recorder->chunk, wanted, (off_t)dump->n_read);

		if (n < 0)
			return -1;
		dump->n_read += (uint64_t)n;
		is_last = n == 0 || dump->n_read == dump->size;
		if (is_last ? packer_end(&dump->packer, recorder->chunk, (size_t)n)
			    : packer_add(&dump->packer, recorder->chunk, (size_t)n))
			return -1;
		recorder->budget -= (size_t)n < recorder->budget ? (size_t)n : recorder->budget;
	}
	return is_last;
}

static int attach(struct jitdump_recorder *recorder, struct recorded_dump *dump, int state)
{
	if (state < 0) {
		recorder->stats.n_missed++;
		return 0;
	}
	if (!dump->n_read) /* not even a header */
		return 0;
	return data_writer_attach(recorder->writer, ATTACHMENT_JITDUMP, dump->key,
				  dump->packer.bytes, dump->packer.size);
}

static bool leave(void *owner, struct listed_process *listed)
{
	struct recorded_dump *dump = (struct recorded_dump *)listed;
	struct jitdump_recorder *recorder = owner;
	int state = recorder->budget ? read_some(recorder, dump) : 0;

	if (!state)
		return false;
	if (!recorder->error)
		recorder->error = attach(recorder, dump, state);
	return remove_dump(recorder, listed);
}

/* Of processes that exited, or of all. */
static int attach_some(struct jitdump_recorder *recorder, size_t budget, bool is_end)
{
	recorder->budget = budget;
	process_list_leave(&recorder->dumps, is_end, leave, recorder);
	return recorder->error;
}

static int end_round(void *state, const struct observed_round *round)
{
	struct jitdump_recorder *recorder = state;

	(void)round;
	return recorder->dumps.has_exited ? attach_some(recorder, ROUND_SIZE_MAX, false) : 0;
}

static int finish(void *state)
{
	return attach_some(state, SIZE_MAX, true);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct jitdump_recorder *recorder = state;
	const struct jitdump_stats *stats = &recorder->stats;

	if (stats->n_refused)
		recording_notes_add_counted(notes, false, stats->n_refused,
					    "jitdump {file was|files were} ignored: owned by "
					    "another user, or not {a regular file|regular files}.");
	if (stats->n_missed)
		recording_notes_add_counted(notes, false, stats->n_missed,
					    "jitdump {file|files} could not be read: code made at "
					    "run time will have no names.");
	if (stats->n_cut)
		recording_notes_add(notes, false,
				    "%" PRIu64 " jitdump %s larger than %u MiB: code made later "
				    "will have no names.",
				    stats->n_cut, stats->n_cut == 1 ? "file is" : "files are",
				    JITDUMP_SIZE_MAX >> 20);
}

const struct recording_observer jitdump_observer = {
	.name = "jitdumps",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.see_sideband = see_sideband,
	.end_round = end_round,
	.finish = finish,
	.advise = advise,
};
