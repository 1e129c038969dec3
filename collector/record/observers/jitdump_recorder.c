#include "collector/record/observers/jitdump_recorder.h"

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
#include <zstd.h>

#include "cct/base/cleanup.h"
#include "collector/attached/jitdump.h"

#define DUMPS_MAX 256
/* Compressing takes time from the rings. */
#define ROUND_SIZE_MAX    (4u << 20)
#define CHUNK_SIZE        (256u << 10)
#define COMPRESSION_LEVEL 3

struct recorded_dump {
	int32_t pid;
	uint64_t inode;
	char *key; /* of the attachment */
	int fd;
	bool has_exited;
	/* While it is compressed. */
	ZSTD_CCtx *stream; /* NULL: not begun */
	uint64_t size, n_read;
	char *out;
	size_t n_out, n_allocated;
};

struct jitdump_recorder {
	struct recorded_dump *dumps[DUMPS_MAX];
	size_t n_dumps;
	bool has_exited; /* one of them */
	struct jitdump_stats stats;
	char chunk[CHUNK_SIZE];
};

struct jitdump_recorder *jitdump_recorder_create(void)
{
	return calloc(1, sizeof(struct jitdump_recorder));
}

static void recorded_dump_destroy(struct recorded_dump *dump)
{
	if (!dump)
		return;
	cleanup_close(&dump->fd);
	ZSTD_freeCCtx(dump->stream);
	free(dump->out);
	free(dump->key);
	free(dump);
}

void jitdump_recorder_destroy(struct jitdump_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->n_dumps; i++)
		recorded_dump_destroy(recorder->dumps[i]);
	free(recorder);
}

const struct jitdump_stats *jitdump_recorder_stats(const struct jitdump_recorder *recorder)
{
	return &recorder->stats;
}

/* By the mapping itself, or by its path, from the process's root or ours. */
static int open_mapped(const struct jitdump_mapping *mapping)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64,
		 mapping->pid, mapping->start, mapping->end);
	int fd = open(path, flags);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root%s", mapping->pid, mapping->path);
	fd = open(path, flags);
	return fd >= 0 ? fd : open(mapping->path, flags);
}

/* Of a process that is gone we know only that we may have started it. */
static uid_t user_of(int32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRId32, pid);
	return stat(path, &st) == 0 ? st.st_uid : geteuid();
}

/* -1: there is none to be trusted, which is counted. */
static int open_trusted(struct jitdump_recorder *recorder, const struct jitdump_mapping *mapping)
{
	struct stat st;
	int fd = open_mapped(mapping);

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_ino != mapping->inode) {
		recorder->stats.n_missed++;
	} else if (!S_ISREG(st.st_mode) || (st.st_uid != 0 && st.st_uid != user_of(mapping->pid))) {
		recorder->stats.n_refused++;
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static char *key_of(const struct jitdump_mapping *mapping)
{
	char *key;

	return asprintf(&key, "%" PRId32 " %" PRIu32 ":%" PRIu32 ":%" PRIu64 " %s", mapping->pid,
			mapping->dev_major, mapping->dev_minor, mapping->inode, mapping->path) < 0
		       ? NULL
		       : key;
}

static bool is_known(const struct jitdump_recorder *recorder, const struct jitdump_mapping *mapping)
{
	for (size_t i = 0; i < recorder->n_dumps; i++) {
		const struct recorded_dump *dump = recorder->dumps[i];

		if (dump->pid == mapping->pid && dump->inode == mapping->inode && !dump->has_exited)
			return true;
	}
	return false;
}

void jitdump_recorder_see_mapping(struct jitdump_recorder *recorder,
				  const struct jitdump_mapping *mapping)
{
	if (mapping->pid <= 0 || is_known(recorder, mapping))
		return;
	if (recorder->n_dumps == DUMPS_MAX) {
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
		.pid = mapping->pid, .inode = mapping->inode, .key = key, .fd = fd
	};
	recorder->dumps[recorder->n_dumps++] = dump;
}

static void see_exit(struct jitdump_recorder *recorder, int32_t pid)
{
	for (size_t i = 0; i < recorder->n_dumps; i++) {
		if (recorder->dumps[i]->pid == pid)
			recorder->dumps[i]->has_exited = recorder->has_exited = true;
	}
}

void jitdump_recorder_see_record(struct jitdump_recorder *recorder, const struct record *record)
{
	if (record->type == PERF_RECORD_MMAP2 && record->mmap.prot & PROT_EXEC &&
	    jitdump_is_marker(record->mmap.filename)) {
		const struct jitdump_mapping mapping = {
			.pid = record->mmap.pid,
			.start = record->mmap.addr,
			.end = record->mmap.addr + record->mmap.len,
			.path = record->mmap.filename,
			.dev_major = record->mmap.maj,
			.dev_minor = record->mmap.min,
			.inode = record->mmap.ino,
		};

		jitdump_recorder_see_mapping(recorder, &mapping);
	} else if (record->type == PERF_RECORD_EXIT && record->task.pid == record->task.tid) {
		see_exit(recorder, record->task.pid);
	}
}

/* The size is that of now: what is written later comes too late. */
static bool begin(struct jitdump_recorder *recorder, struct recorded_dump *dump)
{
	struct stat st;

	if (dump->stream)
		return true;
	dump->stream = ZSTD_createCCtx();
	if (!dump->stream || fstat(dump->fd, &st) != 0)
		return false;
	ZSTD_CCtx_setParameter(dump->stream, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	dump->size = (uint64_t)st.st_size;
	if (dump->size > JITDUMP_SIZE_MAX) {
		dump->size = JITDUMP_SIZE_MAX;
		recorder->stats.n_cut++;
	}
	return true;
}

static bool reserve(struct recorded_dump *dump, size_t size)
{
	if (dump->n_allocated - dump->n_out >= size)
		return true;
	size_t n = (dump->n_out + size) * 2;
	char *out = realloc(dump->out, n);
	if (!out)
		return false;
	dump->out = out;
	dump->n_allocated = n;
	return true;
}

static bool compress(struct recorded_dump *dump, const char *bytes, size_t size, bool is_last)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	size_t left;

	do {
		if (!reserve(dump, ZSTD_CStreamOutSize()))
			return false;
		ZSTD_outBuffer out = { dump->out + dump->n_out, dump->n_allocated - dump->n_out,
				       0 };
		left = ZSTD_compressStream2(dump->stream, &out, &in,
					    is_last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return false;
		dump->n_out += out.pos;
	} while (in.pos < in.size || (is_last && left));
	return true;
}

/* Reads at most @budget bytes. 1: all is compressed; 0: not yet; -1: it can't be. */
static int read_some(struct jitdump_recorder *recorder, struct recorded_dump *dump, size_t *budget)
{
	bool is_last = false;

	if (!begin(recorder, dump))
		return -1;
	while (!is_last && *budget) {
		uint64_t left = dump->size - dump->n_read;
		size_t wanted = left < CHUNK_SIZE ? (size_t)left : CHUNK_SIZE;
		ssize_t n = pread(dump->fd, recorder->chunk, wanted, (off_t)dump->n_read);

		if (n < 0)
			return -1;
		dump->n_read += (uint64_t)n;
		is_last = n == 0 || dump->n_read == dump->size;
		if (!compress(dump, recorder->chunk, (size_t)n, is_last))
			return -1;
		*budget -= (size_t)n < *budget ? (size_t)n : *budget;
	}
	return is_last;
}

static int attach(struct jitdump_recorder *recorder, struct recorded_dump *dump, int state,
		  struct data_writer *writer)
{
	if (state < 0) {
		recorder->stats.n_missed++;
		return 0;
	}
	if (!dump->n_read) /* no header yet: it tells of nothing */
		return 0;
	recorder->stats.n_kept++;
	return data_writer_attach(writer, ATTACHMENT_JITDUMP, dump->key, dump->out, dump->n_out);
}

/* Of processes that exited, or of all. */
static int attach_some(struct jitdump_recorder *recorder, struct data_writer *writer, size_t budget,
		       bool is_end)
{
	bool has_exited = false;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < recorder->n_dumps; i++) {
		struct recorded_dump *dump = recorder->dumps[i];
		bool is_due = is_end || dump->has_exited;
		int state = is_due && budget ? read_some(recorder, dump, &budget) : 0;

		if (!state) {
			has_exited |= dump->has_exited;
			recorder->dumps[n++] = dump;
			continue;
		}
		if (!err)
			err = attach(recorder, dump, state, writer);
		recorded_dump_destroy(dump);
	}
	recorder->n_dumps = n;
	recorder->has_exited = has_exited;
	return err;
}

int jitdump_recorder_end_round(struct jitdump_recorder *recorder, struct data_writer *writer)
{
	return recorder->has_exited ? attach_some(recorder, writer, ROUND_SIZE_MAX, false) : 0;
}

int jitdump_recorder_finish(struct jitdump_recorder *recorder, struct data_writer *writer)
{
	return attach_some(recorder, writer, SIZE_MAX, true);
}
