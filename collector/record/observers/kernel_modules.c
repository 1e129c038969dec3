#include "collector/record/observers/kernel_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/text/file_text.h"
#include "collector/attached/packer.h"
#include "collector/paths/kernel_build_id.h"

#define COMPRESSION_LEVEL 3
#define LOADED_MAX        4096 /* during a recording; further modules have no names */

struct kernel_modules {
	const char *proc; /* borrowed, as is the next */
	struct data_writer *writer;
	bool has_known_clock;
	struct kernel_modules_list known;
	struct kernel_modules_list found; /* new ones, whose names are being read */
	uint64_t looked_ns;               /* the last time the list was read */
	uint64_t from_ns;                 /* the last time the found ones were missing */
	uint64_t seen_ns;                 /* the first time the found ones were seen */
	/* Used by the thread until it is done. */
	pthread_t thread;
	bool is_running;
	atomic_bool is_done;
	struct file_text text;
};

static int add_module(struct kernel_modules_list *list, const struct kernel_module *module)
{
	if (array_reserve(list->modules, list->n, list->n_allocated, 1))
		return -ENOMEM;
	list->modules[list->n++] = *module;
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct kernel_module *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Since Linux 6.4 a module's size includes data elsewhere, so others may begin within it. */
static void end_before_the_next(struct kernel_modules_list *list)
{
	struct kernel_module *modules = list->modules;

	if (list->n)
		qsort(modules, list->n, sizeof(*modules), compare_starts);
	for (size_t i = 0; i + 1 < list->n; i++) {
		if (modules[i].size > modules[i + 1].start - modules[i].start)
			modules[i].size = modules[i + 1].start - modules[i].start;
	}
}

/* "name size references users state address ..." */
int kernel_modules_read(const char *proc, struct kernel_modules_list *list)
{
	char path[PATH_MAX], line[4096];
	int err = 0;

	snprintf(path, sizeof(path), "%s/modules", proc);
	FILE *file = fopen(path, "re");
	while (file && !err && fgets(line, sizeof(line), file)) {
		struct kernel_module module;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, module.name, &module.size,
			   &module.start) == 3 &&
		    module.start)
			err = add_module(list, &module);
	}
	if (file)
		fclose(file);
	end_before_the_next(list);
	return err;
}

static void destroy(void *state)
{
	struct kernel_modules *modules = state;

	if (modules->is_running)
		pthread_join(modules->thread, NULL);
	free(modules->text.bytes);
	free(modules->known.modules);
	free(modules->found.modules);
	free(modules);
}

static bool is_known(const struct kernel_modules_list *list, const struct kernel_module *module)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->modules[i].start == module->start &&
		    strcmp(list->modules[i].name, module->name) == 0)
			return true;
	}
	return false;
}

static int find_new(struct kernel_modules *modules)
{
	struct kernel_modules_list now = { 0 };
	int err = kernel_modules_read(modules->proc, &now);

	for (size_t i = 0; i < now.n && !err; i++) {
		if (is_known(&modules->known, &now.modules[i]) || modules->known.n == LOADED_MAX)
			continue;
		err = add_module(&modules->known, &now.modules[i]);
		if (!err)
			err = add_module(&modules->found, &now.modules[i]);
	}
	free(now.modules);
	return err;
}

static void *read_names(void *arg)
{
	struct kernel_modules *modules = arg;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/kallsyms", modules->proc);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* The modules are written even if they have no names. */
	if (fd >= 0 && file_text_read(&modules->text, fd))
		modules->text.size = 0;
	atomic_store(&modules->is_done, true);
	return NULL;
}

static void start_reading(struct kernel_modules *modules)
{
	sigset_t all, old;

	atomic_store(&modules->is_done, false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	modules->is_running = !pthread_create(&modules->thread, NULL, read_names, modules);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!modules->is_running)
		read_names(modules);
}

/* The lines of one module, moved to the front of @lines. Their size. */
static size_t pick_lines(const struct file_text *text, const char *name, char *lines)
{
	char tag[KERNEL_MODULE_NAME_SIZE + 4];
	size_t size = 0, tag_size = (size_t)snprintf(tag, sizeof(tag), "\t[%s]\n", name);
	const char *end = text->bytes + text->size;

	for (const char *line = text->bytes, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (!newline)
			break;
		next = newline + 1;
		if ((size_t)(next - line) < tag_size || memcmp(next - tag_size, tag, tag_size) != 0)
			continue;
		memcpy(lines + size, line, (size_t)(next - line));
		size += (size_t)(next - line);
	}
	return size;
}

static void write_key(const struct kernel_modules *modules, const struct kernel_module *module,
		      char *key, size_t key_size)
{
	struct build_id id = { 0 };
	char id_text[BUILD_ID_TEXT_SIZE];

	/* Without one it has size 0, which is a text, too. */
	kernel_module_build_id(module->name, &id);
	build_id_format(&id, id_text);
	snprintf(key, key_size, "[%s] %" PRIx64 " %" PRIx64 " %" PRIu64 " %s %" PRIu64,
		 module->name, module->start, module->size, modules->from_ns, id_text,
		 modules->seen_ns);
}

static int attach(struct kernel_modules *modules, const struct kernel_module *module)
{
	char key[KERNEL_MODULE_NAME_SIZE + 128];
	_cleanup_free_ char *lines = malloc(modules->text.size + 1);

	if (!lines)
		return -ENOMEM;
	write_key(modules, module, key, sizeof(key));
	return packer_attach(modules->writer, ATTACHMENT_KALLSYMS, key, lines,
			     pick_lines(&modules->text, module->name, lines), COMPRESSION_LEVEL);
}

static int attach_found(struct kernel_modules *modules)
{
	int err = 0;

	if (modules->is_running)
		pthread_join(modules->thread, NULL);
	modules->is_running = false;
	for (size_t i = 0; i < modules->found.n && !err; i++)
		err = attach(modules, &modules->found.modules[i]);
	modules->found.n = 0;
	free(modules->text.bytes);
	modules->text = (struct file_text){ 0 };
	return err;
}

/* All modules that are loaded now are known from here on. */
static int prepare(const struct observed_recording *recording, void **state)
{
	struct kernel_modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return -ENOMEM;
	*state = modules;
	modules->proc = recording->proc;
	return kernel_modules_read(modules->proc, &modules->known);
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct kernel_modules *modules = *state;

	modules->writer = recording->writer;
	modules->has_known_clock = recording->has_known_clock;
	return 0;
}

static int look_for_new(struct kernel_modules *modules)
{
	/* The time on the clock of the records; 0: they have another clock. */
	uint64_t looked_ns = modules->has_known_clock ? now_ns() : 0;
	int err = find_new(modules);

	modules->from_ns = modules->looked_ns;
	modules->looked_ns = looked_ns;
	modules->seen_ns = modules->has_known_clock ? now_ns() : 0;
	if (!err && modules->found.n)
		start_reading(modules);
	return err;
}

static int look(void *state, bool is_last)
{
	struct kernel_modules *modules = state;

	if (is_last)
		return 0; /* finish() looks for the last time */
	if (modules->found.n && !atomic_load(&modules->is_done))
		return 0;
	int err = modules->found.n ? attach_found(modules) : 0;
	return err ? err : look_for_new(modules);
}

/* The last look: waits for the names. */
static int finish(void *state)
{
	struct kernel_modules *modules = state;
	int err = modules->found.n ? attach_found(modules) : 0;

	if (!err)
		err = look_for_new(modules);
	return err || !modules->found.n ? err : attach_found(modules);
}

const struct recording_observer kernel_modules_observer = {
	.name = "kernel modules",
	.prepare = prepare,
	.begin = begin,
	.destroy = destroy,
	.look = look,
	.finish = finish,
};
