#include "collector/replay/process_epochs.h"

#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "cct/time/sample_time.h"

#define START_FILES_MAX 1024 /* of a first epoch; after that, files are not looked for */
#define DELETED         " (deleted)"

void process_epochs_deinit(struct process_epochs *epochs)
{
	epoch_list_deinit(&epochs->list);
	file_names_deinit(&epochs->added);
	*epochs = (struct process_epochs){ .profile_index = 0 };
}

const struct epoch_list *process_epochs_list(const struct process_epochs *epochs,
					     const struct profile *profile)
{
	return epochs->profile_index ? &profile->processes[epochs->profile_index - 1].epochs
				     : &epochs->list;
}

static struct epoch_list *list_of(struct process_epochs *epochs, struct profile *profile)
{
	return (struct epoch_list *)process_epochs_list(epochs, profile);
}

void process_epochs_enter(struct process_epochs *epochs, struct profile *profile,
			  uint32_t profile_index)
{
	if (epochs->profile_index)
		return;
	profile->processes[profile_index].epochs = epochs->list;
	epochs->list = (struct epoch_list){ .n = 0 };
	epochs->profile_index = profile_index + 1;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Whether it is a program or a shared object. The kernel and run-time systems map other things with
 * the names of files. */
static bool is_loaded_file(const struct module *module)
{
	const char *path = module->key.path;

	return module->key.kind == MODULE_ELF && !begins_with(path, "/dev/") &&
	       !begins_with(path, "/memfd:") && !begins_with(path, "/SYSV");
}

/* "ld-linux-x86-64.so.2", "ld-2.31.so", "ld.so.1", "ld64.so.2"; Android's "linker64". */
static bool is_loader(const struct module *module)
{
	const char *name = module_name(module);

	return (begins_with(name, "ld-") && strstr(name, ".so")) || begins_with(name, "ld.so") ||
	       begins_with(name, "ld64.so") || strcmp(name, "linker") == 0 ||
	       strcmp(name, "linker64") == 0;
}

static int add_name(struct file_names *names, const struct module *module)
{
	const char *name = module_name(module);
	const size_t size = strlen(name), suffix = strlen(DELETED);
	char without[FILE_NAME_SIZE];

	if (size <= suffix || size - suffix >= sizeof(without) ||
	    strcmp(name + size - suffix, DELETED) != 0)
		return file_names_add(names, name);
	memcpy(without, name, size - suffix);
	without[size - suffix] = '\0';
	return file_names_add(names, without);
}

static bool is_mapped(const struct address_space *space, uint32_t module)
{
	for (size_t i = 0; i < space->n_mappings; i++) {
		if (space->mappings[i].is_exec && space->mappings[i].module == module)
			return true;
	}
	return false;
}

int process_epochs_map(struct process_epochs *epochs, const struct profile *profile,
		       const struct address_space *space, uint32_t module, uint64_t time_ns)
{
	const struct module *added = module_table_get(&profile->modules, module);

	/* What is there at the start is found then, in the address space. */
	if (!epochs->has_run || !added || !is_loaded_file(added) || is_mapped(space, module))
		return 0;
	if (!epochs->added.n)
		epochs->added_ns = time_ns;
	return add_name(&epochs->added, added);
}

/* Modules that were met, sorted. */
struct met_modules {
	uint32_t ids[START_FILES_MAX];
	size_t n;
};

/* false: it was met before. */
static bool meet_module(struct met_modules *met, uint32_t id)
{
	const size_t at = sorted_count(met->n, i, met->ids[i] < id);

	if (at < met->n && met->ids[at] == id)
		return false;
	memmove(&met->ids[at + 1], &met->ids[at], (met->n - at) * sizeof(*met->ids));
	met->ids[at] = id;
	met->n++;
	return true;
}

/* The files in an address space, in the order of addresses: mostly the program is first. */
static int find_files(const struct profile *profile, const struct address_space *space,
		      struct file_names *files)
{
	struct met_modules met = { .n = 0 };
	int err = 0;

	for (size_t i = 0; !err && i < space->n_mappings && met.n < START_FILES_MAX; i++) {
		const struct mapping *mapping = &space->mappings[i];
		const struct module *module =
			mapping->is_exec ? module_table_get(&profile->modules, mapping->module)
					 : NULL;

		if (module && is_loaded_file(module) && meet_module(&met, mapping->module))
			err = add_name(files, module);
	}
	return err;
}

/* The first epoch begins, or more was loaded before the program ran. */
static int note_start(struct process_epochs *epochs, struct profile *profile,
		      const struct address_space *space, uint64_t time_ns)
{
	struct epoch_list *list = list_of(epochs, profile);
	const bool is_first = !epochs->start_state;
	struct file_names files = { .n = 0 };

	if (epochs->start_state == space->epoch)
		return 0;
	epochs->start_state = space->epoch;
	int err = find_files(profile, space, &files);
	const struct epoch epoch = { .first_ns = time_ns,
				     .loaded_ns = time_ns,
				     .n_files = files.n };
	if (!err && is_first)
		err = epochs_begin(&profile->epochs, list, &epoch, file_names_text(&files));
	else if (!err)
		err = epochs_describe_first(&profile->epochs, list, &files);
	file_names_deinit(&files);
	return err;
}

/* Loading is over. */
static int begin_next(struct process_epochs *epochs, struct profile *profile, uint64_t time_ns)
{
	struct epoch_list *list = list_of(epochs, profile);
	const uint64_t least = list->n ? list->epochs[list->n - 1].loaded_ns : time_ns;
	const uint64_t loaded_ns = epochs->added_ns > least ? epochs->added_ns : least;
	const struct epoch epoch = {
		.first_ns = time_ns,
		.loaded_ns = loaded_ns < time_ns ? loaded_ns : time_ns,
		.n_files = epochs->added.n,
	};
	int err = epochs_begin(&profile->epochs, list, &epoch, file_names_text(&epochs->added));

	file_names_deinit(&epochs->added);
	return err;
}

/* A sample in the loader, or in what it asked the kernel for, may be in the middle of loading. */
static bool is_of_own_code(const struct profile *profile, const struct address_space *space,
			   uint64_t user_pc)
{
	const struct mapping *mapping = address_space_find(space, user_pc);
	const struct module *module =
		mapping ? module_table_get(&profile->modules, mapping->module) : NULL;

	return module && !is_loader(module);
}

int process_epochs_meet_sample(struct process_epochs *epochs, struct profile *profile,
			       const struct address_space *space, uint64_t time_ns,
			       uint64_t user_pc)
{
	struct epoch_list *list = list_of(epochs, profile);
	const uint64_t start_ns = profile->info.start_ns;
	const uint64_t last_ns = list->n ? list->epochs[list->n - 1].end_ns : 0;
	/* Else samples of both epochs would have the same time. */
	const bool is_later = sample_time_us(start_ns, time_ns) > sample_time_us(start_ns, last_ns);
	int err = 0;

	if (!epochs->has_run)
		err = note_start(epochs, profile, space, time_ns);
	else if (epochs->added.n && is_later && is_of_own_code(profile, space, user_pc))
		err = begin_next(epochs, profile, time_ns);
	if (!epochs->has_run)
		epochs->has_run = is_of_own_code(profile, space, user_pc);
	if (list->n && time_ns > list->epochs[list->n - 1].end_ns)
		list->epochs[list->n - 1].end_ns = time_ns;
	return err;
}
