#include "collector/record/observers/capture.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "collector/attached/elf_extract.h"
#include "collector/attached/jitdump.h"
#include "collector/record/live/mounts.h"
#include "collector/record/live/process_files.h"
#include "collector/record/observers/mapped_file.h"

/* The limit for all captured files of a recording together. */
#define RECORDING_MAX (256ull << 20)
/* The number of files checked again each time, which takes a microsecond each. */
#define RECHECK_FILES 256
/* Files up to this size are kept whole, of larger ones only the parts for unwinding and names. */
#define WHOLE_MAX (8u << 20)
#define FILE_MAX  (64u << 20)
/* Each file that waits to be written has an open descriptor. */
#define PENDING_MAX 256u
#define VDSO_MAX    (64u << 10)
/* The number of files kept open at a time, or less: half of the descriptors stay free. Further
 * files are opened only when they are missing. */
#define HELD_MAX 1024u

/* So often a missed file is searched for again when it is mapped again. */
#define MISSES_MAX 16u

struct seen_file {
	struct mapped_file mapped; /* what its path led to is valid if CAPTURE_HERE */
	enum capture_state state;
	bool is_code;
	/* Kept open, so that its bytes can be read after the path leads elsewhere and every process
	 * with the file has exited; -1: not open. */
	int held_fd;
	unsigned n_misses;
	bool lacked_descriptor; /* when it was missed */
};

struct pending_file {
	int fd;
	struct seen_file *file;
};

struct capture {
	struct seen_file **files;
	size_t n_files, n_files_allocated;
	struct hash_table by_mapping; /* struct seen_file *, by path, device, inode and key_id */
	size_t next_recheck;
	struct pending_file pending[PENDING_MAX];
	size_t n_pending;
	size_t n_held, max_held;
	struct data_writer *writer; /* borrowed; set while it is an observer */
	struct mounts mounts;       /* when the recording began */
	struct other_roots roots;
	uint64_t max_bytes;
	bool has_vdso32;
	uint8_t *vdso32;
	size_t vdso32_size;
	struct capture_stats stats;
};

static uint64_t descriptor_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : HELD_MAX;
}

static size_t max_held(void)
{
	uint64_t half = descriptor_limit() / 2;

	return half < HELD_MAX ? half : HELD_MAX;
}

struct capture *capture_create(uint64_t max_bytes)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	if (!capture)
		return NULL;

	capture->max_bytes = max_bytes;
	capture->max_held = max_held();
	/* Without the list every mount counts as an old one. */
	mounts_init(&capture->mounts);
	return capture;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	for (size_t i = 0; i < capture->n_files; i++) {
		if (capture->files[i]->held_fd >= 0)
			close(capture->files[i]->held_fd);
		free(capture->files[i]->mapped.path);
		free(capture->files[i]);
	}
	for (size_t i = 0; i < capture->n_pending; i++)
		close(capture->pending[i].fd);
	free(capture->files);
	hash_table_deinit(&capture->by_mapping);
	mounts_deinit(&capture->mounts);
	free(capture->vdso32);
	free(capture);
}

static uint32_t hash_mapping(const char *path, uint64_t inode)
{
	return hash_number(hash_text(HASH_START ^ inode, path));
}

static bool slot_is_used(const void *slot)
{
	return *(struct seen_file *const *)slot != NULL;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct seen_file *file = *(struct seen_file *const *)slot;
	const struct observed_mapping *mapping = key;

	(void)owner;
	return file->mapped.inode == mapping->inode &&
	       file->mapped.dev_major == mapping->dev_major &&
	       file->mapped.dev_minor == mapping->dev_minor &&
	       build_id_equal_exact(&file->mapped.key_id, &mapping->build_id) &&
	       strcmp(file->mapped.path, mapping->path) == 0;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct seen_file *file = *(struct seen_file *const *)slot;

	(void)owner;
	return hash_mapping(file->mapped.path, file->mapped.inode);
}

static const struct hash_table_type files_by_mapping = {
	.slot_size = sizeof(struct seen_file *),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static struct seen_file *find_file(const struct capture *capture,
				   const struct observed_mapping *mapping)
{
	struct seen_file **slot =
		hash_table_find(&capture->by_mapping, &files_by_mapping,
				hash_mapping(mapping->path, mapping->inode), mapping, NULL);

	return slot ? *slot : NULL;
}

static struct seen_file *add_file(struct capture *capture, const struct observed_mapping *mapping)
{
	if (array_reserve(capture->files, capture->n_files, capture->n_files_allocated, 1) ||
	    hash_table_reserve(&capture->by_mapping, &files_by_mapping, 1, NULL))
		return NULL;

	struct seen_file *file = calloc(1, sizeof(*file));
	if (!file || !(file->mapped.path = strdup(mapping->path))) {
		free(file);
		return NULL;
	}
	file->held_fd = -1;
	file->mapped.dev_major = mapping->dev_major;
	file->mapped.dev_minor = mapping->dev_minor;
	file->mapped.inode = mapping->inode;
	file->mapped.key_id = mapping->build_id;
	struct seen_file **slot =
		hash_table_insert(&capture->by_mapping, &files_by_mapping,
				  hash_mapping(file->mapped.path, file->mapped.inode), NULL);
	*slot = file;
	capture->files[capture->n_files++] = file;
	return file;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* false: the path names memory that is not from an ELF file. */
static bool is_file_path(const char *path)
{
	return path[0] == '/' && path[1] != '/' && !starts_with(path, "/dev/zero") &&
	       !starts_with(path, "/SYSV") && !starts_with(path, "/anon_hugepage");
}

static void drop(struct capture *capture, struct seen_file *file, int err)
{
	if (file->state != CAPTURE_MISSED) {
		file->lacked_descriptor = err == -EMFILE || err == -ENFILE;
		capture->stats.n_without_descriptor += file->lacked_descriptor;
		capture->stats.n_missed++;
	}
	file->state = CAPTURE_MISSED;
	file->n_misses++;
}

/* The file was missed before, but can be opened now. */
static void recover(struct capture *capture, const struct seen_file *file)
{
	struct capture_stats *stats = &capture->stats;

	if (file->state != CAPTURE_MISSED)
		return;
	stats->n_missed--;
	stats->n_without_descriptor -= file->lacked_descriptor;
}

static int open_gone(struct capture *capture, struct seen_file *file)
{
	int fd = file->held_fd;

	if (fd < 0)
		return mapped_file_open(&file->mapped, &capture->roots);
	file->held_fd = -1;
	capture->n_held--;
	return fd;
}

static void keep(struct capture *capture, struct seen_file *file)
{
	int fd = capture->n_pending < PENDING_MAX ? open_gone(capture, file) : -EBUSY;

	if (fd == -ENODEV) {
		file->state = CAPTURE_NONE;
	} else if (fd < 0) {
		drop(capture, file, fd);
	} else {
		recover(capture, file);
		file->state = CAPTURE_KEPT;
		capture->pending[capture->n_pending++] = (struct pending_file){ fd, file };
	}
}

/* Keeps a code file open while its path leads to it, in case that changes. On a mount that is
 * younger than the recording it captures the file instead, because an open file keeps the mount
 * busy. */
static void hold(struct capture *capture, struct seen_file *file)
{
	struct stat st;

	if (file->held_fd >= 0 || capture->n_held >= capture->max_held)
		return;
	int fd = process_file_open_here(file->mapped.path, true);
	if (fd < 0)
		return;
	bool is_it = fstat(fd, &st) == 0 && st.st_ino == file->mapped.found_inode &&
		     st.st_dev == file->mapped.found_dev;
	bool is_on_old_mount = is_it && mounts_hold(&capture->mounts, fd);
	if (is_on_old_mount) {
		file->held_fd = fd;
		capture->n_held++;
		return;
	}
	close(fd);
	if (is_it)
		keep(capture, file);
}

/* The vdso of 32-bit processes is read from the first such process. */
static void see_vdso(struct capture *capture, const struct observed_mapping *mapping)
{
	char path[32];
	size_t size = mapping->end - mapping->start;

	if (capture->has_vdso32 || mapping->end > UINT32_MAX || size < SELFMAG + 1 ||
	    size > VDSO_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/mem", mapping->pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = fd < 0 ? NULL : malloc(size);
	if (!bytes)
		return;
	capture->has_vdso32 = pread(fd, bytes, size, (off_t)mapping->start) == (ssize_t)size &&
			      memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[EI_CLASS] == ELFCLASS32;
	if (!capture->has_vdso32) {
		free(bytes);
		return;
	}
	capture->vdso32 = bytes;
	capture->vdso32_size = size;
}

enum capture_state capture_see(struct capture *capture, const struct observed_mapping *mapping,
			       struct build_id *build_id_ret)
{
	if (build_id_ret)
		build_id_ret->size = 0;
	if (strcmp(mapping->path, "[vdso]") == 0)
		see_vdso(capture, mapping);
	if (!is_file_path(mapping->path) || strlen(mapping->path) >= PATH_MAX)
		return CAPTURE_NONE;

	struct seen_file *file = find_file(capture, mapping);
	bool is_new = !file;
	if (is_new)
		file = add_file(capture, mapping);
	if (!file)
		return CAPTURE_NONE;
	file->is_code |= mapping->is_code;
	file->mapped.pid = mapping->pid;
	file->mapped.start = mapping->start;
	file->mapped.end = mapping->end;
	if (is_new)
		file->state = mapped_file_is_at_path(&file->mapped) ? CAPTURE_HERE : CAPTURE_DATA;
	bool may_be_had = file->state == CAPTURE_MISSED && file->n_misses < MISSES_MAX;
	if ((file->state == CAPTURE_DATA || may_be_had) && mapping->is_code)
		keep(capture, file);
	if (file->state == CAPTURE_HERE && file->is_code)
		hold(capture, file);
	if (build_id_ret)
		*build_id_ret = file->mapped.build_id;
	return file->state;
}

void capture_recheck(struct capture *capture, size_t max)
{
	struct stat st;

	if (max > capture->n_files)
		max = capture->n_files;
	for (; max; max--) {
		struct seen_file *file = capture->files[capture->next_recheck++ % capture->n_files];

		if (file->state != CAPTURE_HERE || !file->is_code ||
		    (stat(file->mapped.path, &st) == 0 && st.st_ino == file->mapped.found_inode &&
		     st.st_dev == file->mapped.found_dev))
			continue;
		keep(capture, file);
	}
}

bool capture_is_pending(const struct capture *capture)
{
	return capture->n_pending || capture->vdso32;
}

/* perf/records/attachment.h says what a key looks like. */
static void make_key(const struct seen_file *file, char *key, size_t size)
{
	char build_id[BUILD_ID_TEXT_SIZE];

	build_id_format(file->mapped.key_id.size ? &file->mapped.key_id : &file->mapped.build_id,
			build_id);
	snprintf(key, size, "%s %u:%u:%" PRIu64 " %s", build_id, file->mapped.dev_major,
		 file->mapped.dev_minor, file->mapped.inode, file->mapped.path);
}

static int write_file(struct capture *capture, const struct pending_file *pending,
		      struct data_writer *writer, size_t *written_ret)
{
	struct seen_file *file = pending->file;
	char key[PATH_MAX + 128];
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;

	*written_ret = 0;
	int err = elf_extract(pending->fd, WHOLE_MAX, FILE_MAX, &bytes, &size);
	if (err == -ENOEXEC) { /* code in a file that is not an ELF file: not captured */
		file->state = CAPTURE_NONE;
		return 0;
	}
	if (err || capture->stats.n_bytes + size > capture->max_bytes) {
		drop(capture, file, err ? err : -EFBIG);
		file->n_misses = MISSES_MAX;
		return 0;
	}
	make_key(file, key, sizeof(key));
	capture->stats.n_kept++;
	capture->stats.n_bytes += size;
	*written_ret = size;
	return data_writer_attach(writer, ATTACHMENT_ELF, key, bytes, size);
}

static int write_vdso32(struct capture *capture, struct data_writer *writer)
{
	if (!capture->vdso32)
		return 0;
	_cleanup_free_ uint8_t *bytes = steal_ptr(capture->vdso32);
	return data_writer_attach(writer, ATTACHMENT_VDSO, "[vdso32]", bytes, capture->vdso32_size);
}

int capture_write(struct capture *capture, struct data_writer *writer, size_t max_bytes)
{
	int err = write_vdso32(capture, writer);
	size_t n_done = 0, total = 0;

	while (n_done < capture->n_pending && total < max_bytes && !err) {
		size_t written;

		err = write_file(capture, &capture->pending[n_done], writer, &written);
		close(capture->pending[n_done++].fd);
		total += written;
	}
	capture->n_pending -= n_done;
	memmove(capture->pending, capture->pending + n_done,
		capture->n_pending * sizeof(capture->pending[0]));
	return err;
}

const char *capture_example(const struct capture *capture, bool lacked_descriptor)
{
	for (size_t i = 0; i < capture->n_files; i++) {
		const struct seen_file *file = capture->files[i];

		if (file->state == CAPTURE_MISSED && file->lacked_descriptor == lacked_descriptor)
			return file->mapped.path;
	}
	return NULL;
}

const struct capture_stats *capture_stats(const struct capture *capture)
{
	return &capture->stats;
}

static int prepare(const struct observed_recording *recording, void **state)
{
	(void)recording;
	*state = capture_create(RECORDING_MAX);
	return *state ? 0 : -ENOMEM;
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct capture *capture = *state;

	capture->writer = recording->writer;
	capture->has_vdso32 = recording->has_vdso32;
	return 0;
}

static void destroy(void *state)
{
	capture_destroy(state);
}

/* Markers of jitdumps are not code. */
static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	if (!mapping->is_code || !jitdump_is_marker(mapping->path))
		capture_see(state, mapping, build_id);
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	if (mapping->is_code && mapping->pid > 0)
		see_mapping(state, mapping, NULL);
}

static int write_waiting(void *state, size_t max_bytes)
{
	struct capture *capture = state;

	return capture_write(capture, capture->writer, max_bytes);
}

static int look(void *state, bool is_last)
{
	capture_recheck(state, is_last ? SIZE_MAX : RECHECK_FILES);
	return 0;
}

static void advise_on_gone(const struct capture *capture, struct recording_notes *notes)
{
	uint64_t n = capture->stats.n_missed - capture->stats.n_without_descriptor;

	if (n)
		recording_notes_add(
			notes, false,
			"%" PRIu64
			" program files were deleted, replaced or out of reach before they could "
			"be copied into the recording (one is %s): their call paths may be "
			"incomplete and lack names.",
			n, capture_example(capture, false));
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct capture *capture = state;

	advise_on_gone(capture, notes);
	if (capture->stats.n_without_descriptor)
		recording_notes_add(
			notes, false,
			"%" PRIu64
			" program files could not be opened to be copied into the recording (one "
			"is %s), because the limit of open files (ulimit -n) is %" PRIu64
			": their call paths may be incomplete and lack names.",
			capture->stats.n_without_descriptor, capture_example(capture, true),
			descriptor_limit());
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct capture_stats *stats = capture_stats(state);

	if (is_verbose && stats->n_kept)
		recording_notes_add_counted(
			notes, true, stats->n_kept,
			"program {file was|files were} copied into the recording.");
}

const struct recording_observer capture_observer = {
	.name = "files of code",
	.prepare = prepare,
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.write_waiting = write_waiting,
	.look = look,
	.advise = advise,
	.describe = describe,
};
