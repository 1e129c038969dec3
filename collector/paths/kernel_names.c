/* Snapshot or running kernel -> kernel names. */
#include "collector/paths/kernel_names.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/object/file_search.h"
#include "collector/attached/attached_text.h"
#include "collector/attached/carried_files.h"
#include "collector/attached/simpleperf_names.h"
#include "collector/paths/kernel_identity.h"
#include "collector/paths/module_finder.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define HIDDEN \
	"the kernel hid its addresses from the recorder (kernel.kptr_restrict, or no CAP_SYSLOG)"
#define UNKNOWN                                                                            \
	"kernel names were not recorded, nor which kernel it was: dendro archive on that " \
	"machine adds them"
#define LATE_MAX (2 * 4096) /* a recorder reports at most this many */

struct kernel_mapping {
	uint64_t start, pgoff;
	char *filename;
};

/* A kernel module that came while recording; its names are in an attachment. There are two of each:
 * from when on it may have been there, and from when on it was. */
struct late_module {
	struct kernel_symbols_mapping mapping; /* filename owned */
	uint64_t from_ns;
	bool is_certain;
	int fd; /* of the attachment, not owned */
};

struct kernel_names {
	const struct data_file *file;
	struct module_table *modules;
	struct kernel_symbols *symbols;
	struct kernel_mapping *mappings; /* constant while the thread runs */
	size_t n_mappings;
	struct build_id mapped_build_id; /* of the kernel's mapping; size 0: not in its record */
	char *foreign; /* names of the running kernel would be wrong: a sentence; NULL: not so */
	struct late_module *late; /* those not applied yet in order of time */
	size_t n_late, n_applied;
	size_t n_named; /* of the late ones */
	size_t n_attachments_taken;
	bool is_started;
	bool is_late; /* the text is read when it is needed */
	bool is_due;  /* it was not read yet, and no thread reads it */
	/* The thread's, until it is joined. */
	pthread_t thread;
	bool is_running;
	int snapshot_fd; /* of the attachment; -1: none */
	struct kernel_symbols_names *read;
	bool is_hidden;
};

struct kernel_names *kernel_names_create(const struct data_file *file, struct module_table *modules)
{
	struct kernel_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->modules = modules;
	names->snapshot_fd = -1;
	names->symbols = kernel_symbols_create(modules);
	if (!names->symbols) {
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
	kernel_symbols_names_destroy(names->read);
	free(names->foreign);
	for (size_t i = 0; i < names->n_mappings; i++)
		free(names->mappings[i].filename);
	free(names->mappings);
	for (size_t i = 0; i < names->n_late; i++)
		free((char *)names->late[i].mapping.filename);
	free(names->late);
	kernel_symbols_destroy(names->symbols);
	free(names);
}

void kernel_names_read_late(struct kernel_names *names)
{
	names->is_late = true;
}

const struct kernel_symbols *kernel_names_symbols(const struct kernel_names *names)
{
	return names->symbols;
}

/* Of a mapping before the first sample. */
static int keep_mapping(struct kernel_names *names, const struct record *record)
{
	if (array_reserve_one(names->mappings, names->n_mappings))
		return -ENOMEM;
	char *filename = strdup(record->mmap.filename);
	if (!filename)
		return -ENOMEM;
	names->mappings[names->n_mappings++] = (struct kernel_mapping){ .start = record->mmap.addr,
									.pgoff = record->mmap.pgoff,
									.filename = filename };
	return 0;
}

int kernel_names_map(struct kernel_names *names, const struct record *record)
{
	struct kernel_symbols_mapping mapping = {
		.start = record->mmap.addr,
		.len = record->mmap.len,
		.filename = record->mmap.filename,
	};
	bool is_kernel = strncmp(mapping.filename, KERNEL_NAME, strlen(KERNEL_NAME)) == 0;

	if (record->mmap.build_id_size) {
		build_id_set(&mapping.build_id, record->mmap.build_id, record->mmap.build_id_size);
		if (is_kernel)
			names->mapped_build_id = mapping.build_id;
	} else {
		build_id_from_list(names->file, is_kernel ? KERNEL_NAME : mapping.filename,
				   &mapping.build_id);
	}
	int err = names->is_started ? 0 : keep_mapping(names, record);
	return err ? err : kernel_symbols_map(names->symbols, &mapping);
}

int kernel_names_ksymbol(struct kernel_names *names, const struct record *record)
{
	struct kernel_symbols_code code = {
		.addr = record->ksymbol.addr,
		.len = record->ksymbol.len,
		.name = record->ksymbol.name,
		.is_bpf = record->ksymbol.ksym_type == PERF_RECORD_KSYMBOL_TYPE_BPF,
		.is_gone = record->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	};

	return kernel_symbols_change(names->symbols, &code);
}

const char *kernel_names_problem(const struct kernel_names *names)
{
	return names->is_hidden ? HIDDEN : names->foreign;
}

static int find_snapshot(const struct data_file *file)
{
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind == ATTACHMENT_KALLSYMS && attachment->is_complete &&
		    !*attachment->key)
			return attachment->fd;
	}
	return -1;
}

/* Whether the text of the kernel that runs now starts where the recording says. With KASLR the
 * address is random at each boot. */
static bool is_at_recorded_address(const struct kernel_names *names, const struct file_text *text)
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

static int read_running_kernel(struct kernel_names *names, struct file_text *text)
{
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : file_text_read(text, fd);

	if (err)
		return err;
	assert(text->bytes);
	if (!is_at_recorded_address(names, text))
		return -ESTALE;
	carried_files_found_bytes(names->modules->files, CARRIED_KALLSYMS, text->bytes, text->size);
	return 0;
}

static void *read_names(void *arg)
{
	struct kernel_names *names = arg;
	struct file_text text = { 0 };
	int err = names->snapshot_fd >= 0 ? attached_text_decompress(&text, names->snapshot_fd)
					  : read_running_kernel(names, &text);

	if (err)
		free(text.bytes);
	else
		err = kernel_symbols_read_names(names->symbols, text.bytes, text.size,
						&names->read);
	names->is_hidden = err == -EPERM;
	return NULL;
}

/* "entry <start> <end>" */
static void find_entry(struct kernel_names *names)
{
	for (size_t i = 0; i < data_file_n_attachments(names->file); i++) {
		const struct data_file_attachment *attachment =
			data_file_attachment(names->file, i);
		uint64_t start, end;

		if (attachment->kind == ATTACHMENT_KALLSYMS &&
		    sscanf(attachment->key, "entry %" SCNx64 " %" SCNx64, &start, &end) == 2)
			kernel_symbols_set_entry(names->symbols, start, end);
	}
}

/* A sentence for the end of a report. NULL: out of memory. */
static char *describe_foreign(const struct kernel_identity *recorded)
{
	char *text = NULL;
	int n = asprintf(&text,
			 "recorded on another kernel (Linux %s%s%s), without names: dendro "
			 "archive on that machine adds them",
			 recorded->release ? recorded->release : "of unknown release",
			 recorded->hostname ? " on " : "",
			 recorded->hostname ? recorded->hostname : "");

	return n < 0 ? NULL : text;
}

/* Sets ->foreign unless the recording was made by the running kernel. 0 or -ENOMEM. */
static int identify_kernel(struct kernel_names *names)
{
	struct kernel_identity recorded = kernel_identity_recorded(names->file);

	if (names->mapped_build_id.size)
		recorded.build_id = names->mapped_build_id;
	enum kernel_identity_match match = kernel_identity_match_running(&recorded);
	if (match == KERNEL_IS_SAME)
		return 0;
	names->foreign = match == KERNEL_IS_OTHER ? describe_foreign(&recorded) : strdup(UNKNOWN);
	return names->foreign ? 0 : -ENOMEM;
}

/* Whether there is a text of names to read: the recording's, or that of the running kernel. */
static bool has_text(const struct kernel_names *names)
{
	return names->snapshot_fd >= 0 ||
	       (names->n_mappings && !names->foreign && file_search_is_here(names->modules->files));
}

int kernel_names_start(struct kernel_names *names)
{
	find_entry(names);
	int err = kernel_symbols_finish_mappings(names->symbols);

	if (err)
		return err;
	names->is_started = true;
	names->snapshot_fd = find_snapshot(names->file);
	err = names->snapshot_fd < 0 && names->n_mappings ? identify_kernel(names) : 0;
	if (err || !has_text(names))
		return err;
	names->is_running =
		!names->is_late && !pthread_create(&names->thread, NULL, read_names, names);
	names->is_due = !names->is_running;
	return 0;
}

/* "[name] <start> <size> <not there at> <build id in hex or '-'> <there at>" */
static bool parse_late(const char *key, bool is_certain, struct late_module *late)
{
	char name[128], id[BUILD_ID_TEXT_SIZE];
	uint64_t seen_ns;

	*late = (struct late_module){ .is_certain = is_certain, .fd = -1 };
	if (sscanf(key, "%127s %" SCNx64 " %" SCNx64 " %" SCNu64 " %40s %" SCNu64, name,
		   &late->mapping.start, &late->mapping.len, &late->from_ns, id, &seen_ns) != 6 ||
	    name[0] != '[' || !build_id_parse(id, &late->mapping.build_id))
		return false;
	if (is_certain && seen_ns > late->from_ns)
		late->from_ns = seen_ns;
	late->mapping.filename = strdup(name);
	return true;
}

static int add_late(struct kernel_names *names, const struct data_file_attachment *attachment,
		    bool is_certain)
{
	struct late_module late;

	if (attachment->kind != ATTACHMENT_KALLSYMS || !attachment->is_complete ||
	    names->n_late >= LATE_MAX || !*attachment->key ||
	    !parse_late(attachment->key, is_certain, &late))
		return 0;
	late.fd = attachment->fd;
	if (!late.mapping.filename || array_reserve_one(names->late, names->n_late)) {
		free((char *)late.mapping.filename);
		return -ENOMEM;
	}
	names->late[names->n_late++] = late;
	return 0;
}

static int compare_late(const void *a, const void *b)
{
	const struct late_module *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->is_certain != y->is_certain)
		return x->is_certain ? 1 : -1;
	return (x->mapping.start > y->mapping.start) - (x->mapping.start < y->mapping.start);
}

/* Attachments that were read since the last call: at the start, all of a file. */
static int take_attachments(struct kernel_names *names)
{
	size_t n = data_file_n_attachments(names->file);
	int err = 0;

	if (names->n_attachments_taken == n)
		return 0;
	for (; names->n_attachments_taken < n && !err; names->n_attachments_taken++) {
		const struct data_file_attachment *attachment =
			data_file_attachment(names->file, names->n_attachments_taken);

		err = add_late(names, attachment, false);
		if (!err)
			err = add_late(names, attachment, true);
	}
	if (names->n_late > names->n_applied)
		qsort(names->late + names->n_applied, names->n_late - names->n_applied,
		      sizeof(*names->late), compare_late);
	return err;
}

/* While it may or may not have been there, code that was there before may as well: then neither
 * names it. */
static int apply_late(struct kernel_names *names, const struct late_module *late)
{
	if (!late->is_certain && kernel_symbols_is_taken(names->symbols, &late->mapping))
		return kernel_symbols_doubt(names->symbols, &late->mapping);
	return kernel_symbols_map(names->symbols, &late->mapping);
}

int kernel_names_layout(struct kernel_names *names, uint64_t time_ns,
			const struct kernel_layout **layout_ret)
{
	int err = take_attachments(names);

	while (!err && names->n_applied < names->n_late &&
	       names->late[names->n_applied].from_ns <= time_ns)
		err = apply_late(names, &names->late[names->n_applied++]);
	*layout_ret = kernel_symbols_layout(names->symbols);
	return err;
}

static int name_late(struct kernel_names *names, const struct late_module *late)
{
	struct file_text text = { 0 };
	int err = attached_text_decompress(&text, late->fd);

	if (err)
		free(text.bytes);
	else
		err = kernel_symbols_name_module(names->symbols, &late->mapping, text.bytes,
						 text.size);
	return err == -ENOMEM ? err : 0; /* what is broken has no names */
}

/* The names that simpleperf recorded. 0 or -ENOMEM. */
static int take_simpleperf_names(struct kernel_names *names)
{
	struct simpleperf_names *recorded = simpleperf_names_create(names->file);
	int err = recorded ? 0 : -ENOMEM;

	for (uint32_t id = 1; id < names->modules->n_modules && !err; id++) {
		struct module *module = module_table_get(names->modules, id);

		if (module->key.kind == MODULE_KERNEL)
			err = simpleperf_names_give(recorded, module, 0);
	}
	simpleperf_names_destroy(recorded);
	return err;
}

int kernel_names_finish(struct kernel_names *names)
{
	if (names->is_running)
		pthread_join(names->thread, NULL);
	else if (names->is_due)
		read_names(names);
	names->is_running = names->is_due = false;
	int err = names->read ? 0 : take_simpleperf_names(names);
	if (!err)
		err = kernel_symbols_name(names->symbols, names->read);
	/* Given away; called again, there are only newer ones. */
	kernel_symbols_names_destroy(steal_ptr(names->read));
	while (!err && names->n_named < names->n_applied)
		err = name_late(names, &names->late[names->n_named++]);
	return err;
}
