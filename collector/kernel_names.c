/* Snapshot or running kernel -> kernel names. */
#include "collector/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"
#include "cct/file_search.h"
#include "collector/attached_text.h"
#include "collector/carried_files.h"

struct kernel_mapping {
	uint64_t start, len, pgoff;
	char *filename;
};

struct kernel_names {
	const struct data_file *file;
	struct file_search *files;
	struct kallsyms *kallsyms;
	struct kernel_mapping *mappings; /* constant while the thread runs */
	size_t n_mappings;
	bool is_started;
	/* The thread's, until it is joined. */
	pthread_t thread;
	bool is_running;
	int snapshot_fd; /* of the attachment; -1: none */
	struct attached_text text;
	struct kallsyms_text *parsed;
};

struct kernel_names *kernel_names_create(const struct data_file *file, struct module_table *modules)
{
	struct kernel_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->files = modules->files;
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

static int find_snapshot(const struct data_file *file)
{
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind == ATTACHMENT_KALLSYMS && attachment->is_complete)
			return attachment->fd;
	}
	return -1;
}

/* The kernel that runs now made this recording if its text starts where the recording says: the
 * address is random at each boot. */
static bool is_running_kernel(const struct kernel_names *names, const struct attached_text *text)
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
	int err = fd < 0 ? -errno : attached_text_read(&names->text, fd);

	if (err || !is_running_kernel(names, &names->text))
		return err ? err : -ESTALE;
	carried_files_found_bytes(names->files, CARRIED_KALLSYMS, names->text.bytes,
				  names->text.size);
	return 0;
}

static void *thread_main(void *arg)
{
	struct kernel_names *names = arg;
	int err = names->snapshot_fd >= 0
			  ? attached_text_decompress(&names->text, names->snapshot_fd)
			  : read_running_kernel(names);

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
	if (names->snapshot_fd < 0 && (!names->n_mappings || !file_search_is_here(names->files)))
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
