/* Snapshot or running kernel -> kernel names. */
#include "collector/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cct/cleanup.h"

#define KALLSYMS_MAX_SIZE (512u << 20)

struct kernel_mapping {
	uint64_t start, len, pgoff;
	char *filename;
};

struct text {
	char *bytes;
	size_t size, n_allocated;
};

struct kernel_names {
	const struct data_file *file;
	struct kallsyms *kallsyms;
	struct kernel_mapping *mappings; /* constant while the thread runs */
	size_t n_mappings;
	bool is_started;
	/* The thread's, until it is joined. */
	pthread_t thread;
	bool is_running;
	int snapshot_fd; /* of the attachment; -1: none */
	struct text text;
	struct kallsyms_text *parsed;
};

struct kernel_names *kernel_names_create(const struct data_file *file, struct module_table *modules)
{
	struct kernel_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->snapshot_fd = -1;
	names->kallsyms = kallsyms_create(modules);
	if (!names->kallsyms) {
		free(names);
		return NULL;
	}
	return names;
}

void kernel_names_destroy(struct kernel_names *names)
{
	if (!names)
		return;
	if (names->is_running)
		pthread_join(names->thread, NULL);
	kallsyms_text_destroy(names->parsed);
	free(names->text.bytes);
	for (size_t i = 0; i < names->n_mappings; i++)
		free(names->mappings[i].filename);
	free(names->mappings);
	kallsyms_destroy(names->kallsyms);
	free(names);
}

const struct kallsyms *kernel_names_kallsyms(const struct kernel_names *names)
{
	return names->kallsyms;
}

int kernel_names_map(struct kernel_names *names, const struct record *record)
{
	if (names->is_started)
		return 0;
	struct kernel_mapping *mappings =
		reallocarray(names->mappings, names->n_mappings + 1, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	names->mappings = mappings;
	char *filename = strdup(record->mmap.filename);
	if (!filename)
		return -ENOMEM;
	mappings[names->n_mappings++] = (struct kernel_mapping){ .start = record->mmap.addr,
								 .len = record->mmap.len,
								 .pgoff = record->mmap.pgoff,
								 .filename = filename };
	return 0;
}

int kernel_names_ksymbol(struct kernel_names *names, const struct record *record)
{
	return kallsyms_ksymbol(names->kallsyms, record->ksymbol.addr, record->ksymbol.len,
				record->ksymbol.name, record->ksymbol.flags & 1);
}

static int text_reserve(struct text *text, size_t size)
{
	if (text->n_allocated - text->size >= size)
		return 0;
	size_t n = (text->size + size) * 2;
	if (n > KALLSYMS_MAX_SIZE)
		return -EFBIG;
	char *bytes = realloc(text->bytes, n);
	if (!bytes)
		return -ENOMEM;
	text->bytes = bytes;
	text->n_allocated = n;
	return 0;
}

static int text_read(struct text *text, int fd)
{
	off_t at = 0;

	for (;;) {
		int err = text_reserve(text, 1 << 20);
		if (err)
			return err;
		ssize_t n = pread(fd, text->bytes + text->size, text->n_allocated - text->size, at);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		text->size += (size_t)n;
		at += n;
	}
}

static int text_decompress(struct text *text, const struct text *compressed)
{
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	ZSTD_inBuffer in = { compressed->bytes, compressed->size, 0 };
	int err = stream ? 0 : -ENOMEM;

	while (!err && in.pos < in.size) {
		err = text_reserve(text, ZSTD_DStreamOutSize());
		if (err)
			break;
		ZSTD_outBuffer out = { text->bytes + text->size, text->n_allocated - text->size,
				       0 };
		size_t left = ZSTD_decompressStream(stream, &out, &in);
		text->size += out.pos;
		if (ZSTD_isError(left))
			err = -EINVAL;
	}
	ZSTD_freeDCtx(stream);
	return err;
}

static int find_snapshot(const struct data_file *file)
{
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind == ATTACHMENT_KALLSYMS && attachment->is_complete)
			return attachment->fd;
	}
	return -1;
}

static int read_snapshot(struct kernel_names *names)
{
	struct text compressed = { 0 };
	int err = text_read(&compressed, names->snapshot_fd);

	if (!err)
		err = text_decompress(&names->text, &compressed);
	free(compressed.bytes);
	return err;
}

/* The kernel that runs now made this recording if its text starts where the recording says: the
 * address is random at each boot. */
static bool is_running_kernel(const struct kernel_names *names, const struct text *text)
{
	char line[64];

	for (size_t i = 0; i < names->n_mappings; i++) {
		const struct kernel_mapping *mapping = &names->mappings[i];
		const char *symbol = strrchr(mapping->filename, ']');

		if (!symbol || !symbol[1] || !mapping->pgoff)
			continue;
		int n = snprintf(line, sizeof(line), "%016" PRIx64 " T %s\n", mapping->pgoff,
				 symbol + 1);
		return n > 0 && (size_t)n < sizeof(line) &&
		       memmem(text->bytes, text->size, line, (size_t)n);
	}
	return false;
}

static int read_running_kernel(struct kernel_names *names)
{
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : text_read(&names->text, fd);

	return !err && !is_running_kernel(names, &names->text) ? -ESTALE : err;
}

static void *thread_main(void *arg)
{
	struct kernel_names *names = arg;
	int err = names->snapshot_fd >= 0 ? read_snapshot(names) : read_running_kernel(names);

	if (!err)
		kallsyms_text_parse(names->text.bytes, names->text.size, &names->parsed);
	return NULL;
}

int kernel_names_start(struct kernel_names *names)
{
	names->is_started = true;
	for (size_t i = 0; i < names->n_mappings; i++) {
		int err = kallsyms_map(names->kallsyms, names->mappings[i].start,
				       names->mappings[i].len, names->mappings[i].filename);
		if (err)
			return err;
	}
	kallsyms_finish_mappings(names->kallsyms);
	names->snapshot_fd = find_snapshot(names->file);
	if (names->snapshot_fd < 0 && !names->n_mappings)
		return 0;
	names->is_running = !pthread_create(&names->thread, NULL, thread_main, names);
	if (!names->is_running)
		thread_main(names);
	return 0;
}

int kernel_names_finish(struct kernel_names *names)
{
	if (names->is_running)
		pthread_join(names->thread, NULL);
	names->is_running = false;
	int err = kallsyms_name(names->kallsyms, names->parsed);
	/* Given away; called again, there are only newer ones. */
	kallsyms_text_destroy(steal_ptr(names->parsed));
	return err;
}
