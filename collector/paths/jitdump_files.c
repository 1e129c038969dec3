#include "collector/paths/jitdump_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/object/file_search.h"
#include "cct/object/module_file.h"
#include "cct/system/temporary_file.h"
#include "collector/attached/carried_files.h"

/* Of all dumps of a recording, on disk; no more are read beyond that. */
#define ALL_SIZE_MAX (2048ull << 20)
#define CHUNK_SIZE   (128u << 10)
/* A recording is finished a little after what it records. */
#define LATE_SECONDS 2

struct known_dump {
	uint32_t module;
	struct jit_codes *codes; /* NULL: not available */
};

struct jitdump_files {
	const struct data_file *file;
	const char *path;
	struct profile *profile;
	struct known_dump *dumps;
	size_t n_dumps;
	uint64_t n_bytes;
};

struct jitdump_files *jitdump_files_create(const struct data_file *file, const char *path,
					   struct profile *profile)
{
	struct jitdump_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->file = file;
	files->path = path;
	files->profile = profile;
	return files;
}

void jitdump_files_destroy(struct jitdump_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->n_dumps; i++)
		jit_codes_destroy(files->dumps[i].codes);
	free(files->dumps);
	free(files);
}

/* Appends what the bytes in @in decompress to, as long as it is zstd and not too much. */
static bool decompress(ZSTD_DCtx *stream, ZSTD_inBuffer *in, uint8_t *room, int to, size_t *size)
{
	while (in->pos < in->size) {
		ZSTD_outBuffer out = { room, CHUNK_SIZE, 0 };

		if (ZSTD_isError(ZSTD_decompressStream(stream, &out, in)) ||
		    out.pos > JITDUMP_SIZE_MAX - *size || temporary_file_write(to, room, out.pos))
			return false;
		*size += out.pos;
	}
	return true;
}

/* What an attachment holds, as far as it can be had. */
static size_t copy_attachment(int from, int to)
{
	_cleanup_free_ uint8_t *bytes = malloc(2 * CHUNK_SIZE);
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	size_t size = 0;
	off_t at = 0;

	while (bytes && stream) {
		ssize_t n = pread(from, bytes, CHUNK_SIZE, at);
		ZSTD_inBuffer in = { bytes, n > 0 ? (size_t)n : 0, 0 };

		if (n <= 0 || !decompress(stream, &in, bytes + CHUNK_SIZE, to, &size))
			break;
		at += n;
	}
	ZSTD_freeDCtx(stream);
	return size;
}

static size_t copy_file(int from, int to)
{
	_cleanup_free_ uint8_t *bytes = malloc(CHUNK_SIZE);
	size_t size = 0;

	while (bytes && size < JITDUMP_SIZE_MAX) {
		ssize_t n = pread(from, bytes, CHUNK_SIZE, (off_t)size);

		if (n <= 0 || temporary_file_write(to, bytes, (size_t)n))
			break;
		size += (size_t)n;
	}
	return size;
}

/* A dump in memory. */
struct opened {
	int fd;
	const uint8_t *bytes; /* NULL: none */
	size_t size;
	struct jitdump *dump;
};

static void opened_deinit(struct opened *opened)
{
	if (opened->fd >= 0)
		close(opened->fd);
	if (opened->bytes)
		munmap((void *)opened->bytes, opened->size);
	jitdump_destroy(opened->dump);
}

/* Takes the dump over from @from. 0; -EINVAL: not a jitdump; -ENOMEM. */
static int open_dump(struct jitdump_files *files, int from, size_t (*copy)(int from, int to),
		     struct opened *ret)
{
	struct opened opened = { .fd = -1 };

	if (files->n_bytes > ALL_SIZE_MAX)
		return -EINVAL;
	opened.fd = temporary_file_open();
	if (opened.fd < 0)
		return -EINVAL;
	opened.size = copy(from, opened.fd);
	files->n_bytes += opened.size;
	void *bytes = opened.size ? mmap(NULL, opened.size, PROT_READ, MAP_PRIVATE, opened.fd, 0)
				  : MAP_FAILED;
	int err = bytes == MAP_FAILED ? -EINVAL : 0;
	if (!err) {
		opened.bytes = bytes;
		err = jitdump_parse(opened.bytes, opened.size, &opened.dump);
	}
	if (err) {
		opened_deinit(&opened);
		return err;
	}
	*ret = opened;
	return 0;
}

static const struct data_file_attachment *find_attachment(const struct data_file *file,
							  const struct module_key *key)
{
	char id[64];

	snprintf(id, sizeof(id), " %u:%u:%" PRIu64 " ", key->dev_major, key->dev_minor, key->inode);
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);
		const char *rest = strchr(attachment->key, ' ');

		if (attachment->kind == ATTACHMENT_JITDUMP && attachment->is_complete && rest &&
		    strncmp(rest, id, strlen(id)) == 0 && strcmp(rest + strlen(id), key->path) == 0)
			return attachment;
	}
	return NULL;
}

static bool was_written_later(const struct jitdump_files *files, const struct stat *st)
{
	struct stat recording;

	return stat(files->path, &recording) != 0 ||
	       st->st_mtim.tv_sec > recording.st_mtim.tv_sec + LATE_SECONDS;
}

/* The file that the process mapped, if it is still there. -1: it is not. */
static int open_mapped(const struct jitdump_files *files, const struct module *module)
{
	struct stat st;

	if (!module->key.inode || data_file_info(files->file)->is_pipe ||
	    !file_search_is_here(module->located.files))
		return -1;
	int fd = file_search_open(module->located.files, module->key.path);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    module_file_is_recorded(module->located.files, fd, &module->key) &&
	    !was_written_later(files, &st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The pid in its name is that of the process's own namespace. */
static bool is_of_process(const struct jitdump *dump, const struct module *module, int32_t pid)
{
	const char *number = strrchr(module->key.path, '-');

	return dump->pid == pid || (number && dump->pid == strtol(number + 1, NULL, 10));
}

/* For archives: attached as a recorder does it, but of no process, or it would name more code. */
static void note_found(const struct module *module, int fd)
{
	char key[FILE_SEARCH_KEY_MAX];
	int n = snprintf(key, sizeof(key), CARRIED_JITDUMP "0 %u:%u:%" PRIu64 " %s",
			 module->key.dev_major, module->key.dev_minor, module->key.inode,
			 module->key.path);

	if (n > 0 && (size_t)n < sizeof(key))
		file_search_found(module->located.files, key, fd, NULL);
}

/* -EINVAL: not available. */
static int open_of_module(struct jitdump_files *files, const struct module *module, int32_t pid,
			  struct opened *ret)
{
	const struct data_file_attachment *attachment = find_attachment(files->file, &module->key);

	if (attachment)
		return open_dump(files, attachment->fd, copy_attachment, ret);
	_cleanup_close_ int fd = open_mapped(files, module);
	if (fd < 0)
		return -EINVAL;
	int err = open_dump(files, fd, copy_file, ret);
	if (err)
		return err;
	if (is_of_process(ret->dump, module, pid)) {
		note_found(module, fd);
		return 0;
	}
	opened_deinit(ret);
	return -EINVAL;
}

/* Dumps and records are timed by the same clock. */
static bool has_clock_of_dumps(const struct data_file *file)
{
	for (size_t i = 0; i < data_file_n_events(file); i++) {
		const struct perf_event_attr *attr = &data_file_event(file, i)->attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return true;
}

/* What the module takes over from a dump. */
static int take(struct jitdump_files *files, struct module *module, struct opened *opened,
		struct known_dump *known)
{
	struct profile_quality *quality = &files->profile->quality;
	bool is_timed = !opened->dump->has_tsc && has_clock_of_dumps(files->file);

	struct symbol_table *symbols = jitdump_symbols(opened->dump, opened->bytes);
	struct line_table *lines = jitdump_lines(opened->dump, opened->bytes);
	known->codes = jit_codes_create(opened->dump, module->id, is_timed);
	if (!symbols || !lines || !known->codes) {
		symbol_table_destroy(symbols);
		line_table_destroy(lines);
		return -ENOMEM;
	}
	symbol_table_destroy(module->symbols);
	module->symbols = symbols;
	line_table_destroy(module->lines);
	module->lines = lines;
	if (module->located.image_fd < 0) {
		module->located.image_fd = opened->fd;
		opened->fd = -1;
	}
	quality->counts[QUALITY_JITDUMPS_UNTIMED] += !is_timed;
	quality->counts[QUALITY_JITDUMPS_CUT] += opened->dump->is_cut;
	quality->counts[QUALITY_JITDUMP_RECORDS_BROKEN] += opened->dump->n_broken;
	quality->counts[QUALITY_JITDUMP_LINES_BROKEN] += opened->dump->n_lines_broken;
	return 0;
}

static int load(struct jitdump_files *files, struct module *module, int32_t pid,
		struct known_dump *known)
{
	struct opened opened;
	int err = open_of_module(files, module, pid, &opened);

	if (!err) {
		err = take(files, module, &opened, known);
		opened_deinit(&opened);
	}
	files->profile->quality.counts[QUALITY_JITDUMPS_MISSING] += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

int jitdump_files_find(struct jitdump_files *files, const struct record *marker, uint32_t module,
		       const struct jit_codes **codes_ret)
{
	for (size_t i = 0; i < files->n_dumps; i++) {
		if (files->dumps[i].module == module) {
			*codes_ret = files->dumps[i].codes;
			return 0;
		}
	}
	if (array_reserve_one(files->dumps, files->n_dumps))
		return -ENOMEM;
	struct known_dump *known = &files->dumps[files->n_dumps++];
	*known = (struct known_dump){ .module = module };
	int err = load(files, module_table_get(&files->profile->modules, module), marker->mmap.pid,
		       known);
	*codes_ret = known->codes;
	return err;
}

struct symbol_table *jitdump_files_latest_names(struct jitdump_files *files, int32_t pid,
						size_t first)
{
	const struct data_file *file = files->file;
	const struct data_file_attachment *found = NULL;
	struct opened opened;

	for (size_t i = first; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind == ATTACHMENT_JITDUMP && attachment->is_complete &&
		    strtol(attachment->key, NULL, 10) == pid)
			found = attachment;
	}
	if (!found || open_dump(files, found->fd, copy_attachment, &opened))
		return NULL;
	struct symbol_table *symbols = jitdump_latest_symbols(opened.dump, opened.bytes);
	opened_deinit(&opened);
	return symbols;
}
